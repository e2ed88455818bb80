package io.tallis.command.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.Link;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.command.server.Later;
import io.tallis.runtime.Clock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// `WAITAOF numlocal numreplicas timeout`: waits until the disk of this node has what was changed on it before, by any
/// client, and until so many other nodes have it in their journals, as [SystemCommands]'s `WAIT` does.
///
/// One sync serves all clients that wait when it begins. A disk that fails leaves them waiting until their timeout. At
/// most [#MOST] clients wait; a further one is answered with zeros at once.
public final class WaitAof implements CommandFamily {
    private static final String BEYOND_ONE = "ERR value is out of range, value must between 0 and 1";

    private static final int MOST = 10_000;
    private static final long LONGEST_MILLIS = TimeUnit.DAYS.toMillis(3650);

    private final Peers peers;
    private final Disk disk;
    private final Later later;
    private final Clock clock;

    @GuardedBy("this")
    private final List<Wait> open = new ArrayList<>();

    @GuardedBy("this")
    private List<Wait> unsynced = new ArrayList<>();

    /// The journal of this node.
    public interface Disk {
        /// Whether there is one.
        boolean isKept();

        /// Returns when the disk has all that was recorded before. Blocks.
        void makeDurable() throws IOException;
    }

    public WaitAof(Peers peers, Disk disk, Later later, Clock clock) {
        this.peers = peers;
        this.disk = disk;
        this.later = later;
        this.clock = clock;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("waitaof", this::await);
    }

    private void await(Arguments arguments, Client client, Reply reply) {
        int local = Numbers.between(0, 1, arguments, 1, BEYOND_ONE);
        long replicas = Numbers.signed(arguments, 2);
        if (replicas < 0) {
            throw new CommandError("ERR value is out of range, must be positive");
        }
        long millis = Numbers.signed(arguments, 3, "ERR timeout is not an integer or out of range");
        if (millis < 0) {
            throw new CommandError("ERR timeout is negative");
        }
        if (local > 0 && !disk.isKept()) {
            throw new CommandError("ERR WAITAOF cannot be used when numlocal is set but persistence is disabled.");
        }
        // A transaction must not wait, and nothing is synced before it ends.
        if (client.inSection() || isFull()) {
            answer(0, 0, reply);
            return;
        }
        Duration patience = Duration.ofMillis(millis);
        Wait wait = new Wait(local == 1, deadline(millis), client.link(), client.suspend());
        add(wait);
        if (local == 1) {
            // A task that is not accepted is not missed: another is waiting to run, and takes all.
            boolean _ = later.onItsOwn("waitaof", this::sync);
        }
        peers.await(new ClientWait(replicas, patience, client.link()), wait::peersHave);
    }

    private long deadline(long millis) {
        return clock.nanos()
                + TimeUnit.MILLISECONDS.toNanos(millis == 0 ? LONGEST_MILLIS : Math.min(millis, LONGEST_MILLIS));
    }

    private synchronized boolean isFull() {
        return open.size() >= MOST;
    }

    private synchronized void add(Wait wait) {
        open.add(wait);
        if (wait.needsSync) {
            unsynced.add(wait);
        }
    }

    /// Answers clients whose timeout is over. To be called ten times a second.
    public synchronized void tick() {
        long now = clock.nanos();
        open.removeIf(wait -> wait.isOver(now));
    }

    private void sync() {
        List<Wait> waits = takeUnsynced();
        if (waits.isEmpty()) {
            return;
        }
        try {
            disk.makeDurable();
            waits.forEach(Wait::isSynced);
        } catch (IOException _) {
            // The journal reports it, and refuses changes.
        }
    }

    private synchronized List<Wait> takeUnsynced() {
        List<Wait> waits = unsynced;
        unsynced = new ArrayList<>();
        return waits;
    }

    private static void answer(int local, int others, Reply reply) {
        reply.array(2);
        reply.integer(local);
        reply.integer(others);
    }

    private record ClientWait(long wanted, Duration patience, Link link) implements Peers.Wait {
        @Override
        public boolean listens() {
            return link.isOpen();
        }
    }

    /// A client that waits.
    private static final class Wait {
        private final boolean needsSync;
        private final long deadline;
        private final Link link;
        private final Link.Suspension suspension;

        @GuardedBy("this")
        private boolean answered;

        @GuardedBy("this")
        private boolean synced;

        @GuardedBy("this")
        private boolean peersAnswered;

        @GuardedBy("this")
        private int others;

        Wait(boolean needsSync, long deadline, Link link, Link.Suspension suspension) {
            this.needsSync = needsSync;
            this.deadline = deadline;
            this.link = link;
            this.suspension = suspension;
        }

        synchronized void isSynced() {
            synced = true;
            answerIfDone(false);
        }

        synchronized void peersHave(int count) {
            others = count;
            peersAnswered = true;
            answerIfDone(false);
        }

        /// Whether nothing is left to do; answers if its time is over.
        synchronized boolean isOver(long now) {
            if (now - deadline >= 0) {
                answerIfDone(true);
            }
            return answered || !link.isOpen();
        }

        @GuardedBy("this")
        private void answerIfDone(boolean anyway) {
            if (!answered && (anyway || (peersAnswered && (synced || !needsSync)))) {
                answered = true;
                int local = synced ? 1 : 0;
                int count = others;
                suspension.resume(reply -> answer(local, count, reply));
            }
        }
    }
}
