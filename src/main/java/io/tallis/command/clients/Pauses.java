package io.tallis.command.clients;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandEntry;
import io.tallis.command.Link;
import io.tallis.command.Reply;
import io.tallis.command.Transaction;
import io.tallis.runtime.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/// `CLIENT PAUSE`: requests that wait until it is over, at most one of each client, since a client that waits has no
/// further request handled. Any thread may call.
///
/// Concerns the clients of this node only: changes of other nodes are merged, and keys expire.
public final class Pauses {
    /// What clients may not do.
    public enum Mode {
        NONE,
        /// Commands that may change something wait, and scripts.
        WRITES,
        /// All commands wait, except CLIENT UNPAUSE, which ends the pause.
        ALL
    }

    private static final String ENDING = "client|unpause";
    private static final long MOST_MILLIS = TimeUnit.DAYS.toMillis(3650);

    private final Clock clock;
    private volatile Mode mode = Mode.NONE;

    @GuardedBy("this")
    private long endNanos;

    @GuardedBy("this")
    private Map<Client, Held> held = new LinkedHashMap<>();

    public Pauses(Clock clock) {
        this.clock = clock;
    }

    /// A request that waits.
    private record Held(
            Client client, Transaction.Queued words, Link.Suspension suspension, BiConsumer<Arguments, Reply> next) {
        void goOn() {
            suspension.resume(reply -> {
                client.heldBytes(0);
                Arguments arguments = new Arguments();
                words.restore(arguments);
                next.accept(arguments, reply);
            });
        }
    }

    /// Pauses clients for so long. A pause that there is already becomes as strict and as long as the stricter and the
    /// longer of both.
    public synchronized void pause(long millis, Mode wanted) {
        long end = clock.nanos() + TimeUnit.MILLISECONDS.toNanos(Math.min(millis, MOST_MILLIS));
        if (mode == Mode.NONE || end - endNanos > 0) {
            endNanos = end;
        }
        if (wanted.compareTo(mode) > 0) {
            mode = wanted;
        }
    }

    public boolean any() {
        return mode != Mode.NONE;
    }

    /// Whether a request has to wait.
    public boolean holds(CommandEntry entry, Client client) {
        int flags = entry.flags() | (entry.executes() ? client.transaction().flags() : 0);
        return switch (mode) {
            case NONE -> false;
            case WRITES -> (flags & CommandEntry.MAY_WRITE) != 0;
            case ALL -> !entry.spec().fullName().equals(ENDING);
        };
    }

    /// Suspends the client and keeps a copy of its request, for `next` when the pause is over.
    public void hold(CommandEntry entry, Arguments arguments, Client client, BiConsumer<Arguments, Reply> next) {
        Transaction.Queued words = Transaction.Queued.copyOf(entry, arguments);
        Held request = new Held(client, words, client.suspend(), next);
        client.heldBytes(words.size());
        if (!isKept(request)) {
            request.goOn();
        }
    }

    private synchronized boolean isKept(Held request) {
        boolean waits = any();
        if (waits) {
            held.put(request.client, request);
        }
        return waits;
    }

    /// The client has left.
    public synchronized void forget(Client client) {
        held.remove(client);
    }

    /// Ends the pause if its time is over. To be called ten times a second.
    public void tick() {
        if (any() && isOver()) {
            end();
        }
    }

    private synchronized boolean isOver() {
        return clock.nanos() - endNanos >= 0;
    }

    /// Ends the pause.
    public void end() {
        take().forEach(Held::goOn);
    }

    private synchronized List<Held> take() {
        List<Held> all = new ArrayList<>(held.values());
        held = new LinkedHashMap<>();
        mode = Mode.NONE;
        return all;
    }
}
