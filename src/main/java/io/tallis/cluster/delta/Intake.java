package io.tallis.cluster.delta;

import io.tallis.cluster.peer.Known;
import io.tallis.cluster.peer.Progress;
import io.tallis.crdt.Counter;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.CellInserter;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.KeyspaceFullException;
import io.tallis.keyspace.Prefetch;
import io.tallis.keyspace.ReceivedCell;
import io.tallis.keyspace.TurnLog;
import io.tallis.wire.ByteReader;
import io.tallis.wire.CounterCodec;
import io.tallis.wire.MalformedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Merges what others sent, and takes care that nobody is told of it before the journal has it (I3).
///
///     merge ..  merge ..  | commit: how far each session is | merge .. | written: that is now what others are told
///
/// A commit takes what was merged in some milliseconds, or at once when clients elsewhere wait to hear of it.
///
/// When a commit is lost, because the disk stands still or the journal's files are gone, another is made each second
/// until one is written: what those before it had is then safe too.
public final class Intake {
    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long GATHER_BYTES = 1 << 18;
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Keyspace keyspace;
    private final TurnLog log;
    private final Executor mailbox;
    private final Consumer<Progress> told;
    private final Counters counters;
    private final CellInserter inserter;
    private final CounterCodec codec;
    private final Prefetch prefetch;
    private final Counter counter = new Counter();

    /// Those that were looked ahead at last.
    private final ReceivedCell[] cells = new ReceivedCell[Prefetch.LIMIT];

    /// What a cell of the present frame met that found no room.
    private @Nullable KeyspaceFullException full;

    /// Whether any of the cells looked ahead at may be new here.
    private boolean mayBeNew;

    private final Set<Progress> advanced = new LinkedHashSet<>();
    private long gatheredBytes;
    private long commitAt = Long.MAX_VALUE;
    private long retryAt = Long.MAX_VALUE;
    private boolean losing;

    /// `told` hears, on the mailbox, of each session of which the journal has more than before.
    public Intake(Keyspace keyspace, TurnLog log, Executor mailbox, Consumer<Progress> told) {
        this.keyspace = keyspace;
        this.log = log;
        this.mailbox = mailbox;
        this.told = told;
        counters = new Counters(keyspace, log);
        inserter = new CellInserter(keyspace, log);
        prefetch = new Prefetch(keyspace);
        Arrays.setAll(cells, _ -> new ReceivedCell());
        codec = new CounterCodec(keyspace.replicas());
    }

    /// Whether so much waits for the disk that no more should be taken in.
    public boolean congested() {
        return log.congested();
    }

    /// Whether the disk has not taken the last commit.
    public boolean losing() {
        return losing;
    }

    /// Merges the cells that the rest of a frame of `sender` consists of. Returns how many gained something. Throws
    /// when it meets a malformed one; those before it are merged then, and perhaps some behind it. Throws at the end
    /// when any found no room; all others are merged then.
    public int mergeRest(ReplicaId sender, ByteReader in) throws MalformedException {
        int owner = keyspace.replicas().numberOf(sender);
        int gained = 0;
        gatheredBytes += in.remaining();
        mayBeNew = true;
        full = null;
        try {
            while (in.remaining() > 0) {
                gained += mergeSome(in, owner);
            }
        } finally {
            for (ReceivedCell cell : cells) {
                cell.forget();
            }
        }
        if (full != null) {
            throw full;
        }
        return gained;
    }

    /// Where nothing was new of some cells of a frame, the rest is merged without a look whether it is.
    private int mergeSome(ByteReader in, int owner) throws MalformedException {
        int count = lookAhead(in, owner);
        int end = cells[count - 1].end();
        int left = mayBeNew ? inserter.insertNew(cells, count) : count;
        mayBeNew = left < count;
        int gained = count - left;
        for (int i = 0; i < left; i++) {
            gained += merge(in, cells[i]) ? 1 : 0;
        }
        in.position(end);
        return gained;
    }

    /// Has the next cells, and the memory that they will need, ready. Returns how many: none from a malformed one on,
    /// or throws if that is the first.
    private int lookAhead(ByteReader in, int owner) throws MalformedException {
        int count = 0;
        try {
            for (; count < cells.length && in.remaining() > 0; count++) {
                cells[count].next(in, codec, owner);
                prefetch.add(cells[count].key());
            }
        } catch (MalformedException malformed) {
            if (count == 0) {
                throw malformed;
            }
        }
        int _ = prefetch.forMerge();
        return count;
    }

    /// Returns whether anything is new.
    private boolean merge(ByteReader in, ReceivedCell cell) throws MalformedException {
        in.position(cell.counterStart());
        codec.decode(in, cell.type(), cell.owner(), counter);
        if (counters.isBeyondOwn(cell.key(), counter)) {
            throw new MalformedException("more of this process than it has counted: was its memory taken back to an"
                    + " earlier state? Then it has to be started again");
        }
        try {
            return counters.merge(cell.key(), counter) != Counter.Merged.NOTHING_NEW;
        } catch (KeyspaceFullException noRoom) {
            full = noRoom;
            return false;
        }
    }

    /// More of the session is merged than before; others may know when the journal does.
    public void advanced(Progress progress) {
        advanced.add(progress);
    }

    /// Hands over what was merged since the last commit, if it is time.
    public void commit(long now) {
        if (losing) {
            commitAgain(now);
        } else if (!advanced.isEmpty() || log.hasChanges()) {
            commitAt = Math.min(commitAt, now + GATHER_NANOS);
            if (now >= commitAt
                    || gatheredBytes >= GATHER_BYTES
                    || advanced.stream().anyMatch(Progress::isWaitedFor)) {
                commit();
            }
        }
    }

    /// Hands over what is left, when no turn follows.
    public void end() {
        commit();
    }

    private void commitAgain(long now) {
        if (retryAt == Long.MAX_VALUE || (now >= retryAt && log.congested())) {
            retryAt = now + RETRY_NANOS;
        } else if (now >= retryAt) {
            retryAt = Long.MAX_VALUE;
            commit();
        }
    }

    private void commit() {
        commitAt = Long.MAX_VALUE;
        gatheredBytes = 0;
        List<Milestone> milestones = new ArrayList<>(advanced.size());
        advanced.forEach(progress -> milestones.add(new Milestone(progress, progress.known())));
        advanced.clear();
        log.commit(new TurnLog.Outcome() {
            @Override
            public void written() {
                mailbox.execute(() -> journalled(milestones));
            }

            @Override
            public void lost() {
                mailbox.execute(() -> isLost(milestones));
            }
        });
    }

    private void journalled(List<Milestone> milestones) {
        losing = false;
        retryAt = Long.MAX_VALUE;
        for (Milestone milestone : milestones) {
            milestone.progress.journalled(milestone.known);
            told.accept(milestone.progress);
        }
    }

    private void isLost(List<Milestone> milestones) {
        milestones.forEach(milestone -> advanced.add(milestone.progress));
        losing = true;
    }

    /// When a commit is due, [Long#MAX_VALUE] when none is.
    public long nextDue() {
        return losing ? retryAt : commitAt;
    }

    /// How far a session was at a commit.
    private record Milestone(Progress progress, Known known) {}
}
