package io.tallis.cluster.delta;

import io.tallis.cluster.peer.Known;
import io.tallis.cluster.peer.Progress;
import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.CellInserter;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.KeyspaceFullException;
import io.tallis.keyspace.Merges;
import io.tallis.keyspace.Prefetch;
import io.tallis.keyspace.ReceivedCell;
import io.tallis.keyspace.TurnLog;
import io.tallis.keyspace.UnknownFoldException;
import io.tallis.wire.ByteReader;
import io.tallis.wire.CellCodec;
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

/// Merges the cells that other sessions sent, and hands them to the journal in commits.
///
/// Invariant I3: this node acknowledges a session's frames only when its journal has them. A peer that believes an
/// acknowledgement does not send those frames again, and `WAIT` tells a client that its increment survives the loss of
/// a node; both would be wrong if the changes were only in memory here. So how far each session has come is noted when
/// a commit begins, and is acknowledged when that commit is written:
///
///     DELTA 7   DELTA 8       commit                DELTA 9             written
///     ──merge─────merge─────────┬─────────────────────merge───────────────┬───────▶
///                               └ notes "durable up to 8" ────────────────┘ acknowledges 8, not 9
///
/// A commit takes what came within [#GATHER_NANOS] or [#GATHER_BYTES], or is made at once when a session waits for an
/// acknowledgement. When the journal loses a commit, because the disk hangs or the directory is gone, nothing of it is
/// acknowledged, and another commit is made each second. Once one is written, what the lost ones had is safe too.
///
/// Cells are only merged while there is memory ([#hasMemory]): the keyspace stays below a bound in bytes, and has a
/// number for each replica id. A cell that meets a full partition, or has too many shards, is skipped; the others are
/// merged.
public final class Intake {
    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long GATHER_BYTES = 1 << 18;
    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FOLD_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Keyspace keyspace;
    private final long mostBytes;
    private final TurnLog log;
    private final Executor mailbox;
    private final Consumer<Progress> onDurable;
    private final Merges merges;
    private final CellInserter inserter;
    private final CellCodec codec;
    private final Prefetch prefetch;
    private final Cell counter = new Cell();

    /// The cells of the present frame that were decoded ahead.
    private final ReceivedCell[] cells = new ReceivedCell[Prefetch.LIMIT];

    /// Why a cell of the present frame was refused.
    private @Nullable KeyspaceFullException full;

    /// Whether a cell of the present frame has a shard of a fold that is not known here.
    private boolean unknownFold;

    /// Whether any of the cells decoded ahead may be absent here.
    private boolean mayBeNew;

    private boolean outOfReplicaNumbers;
    private boolean hasRefusedCells;

    /// How many folds were known when a cell came with an unknown one, and when that was first so.
    private int foldsWhenUnknown = -1;

    private long unknownFoldSince;

    private final Set<Progress> advanced = new LinkedHashSet<>();

    /// What waits until the notes that were recorded are written.
    private final List<Runnable> onWritten = new ArrayList<>();

    private long gatheredBytes;
    private long commitAt = Long.MAX_VALUE;
    private long retryAt = Long.MAX_VALUE;
    private boolean failing;

    /// Counters may take `mostBytes`. `onDurable` is called, in the mailbox, for each session of which the journal has
    /// more than before.
    public Intake(Keyspace keyspace, long mostBytes, TurnLog log, Executor mailbox, Consumer<Progress> onDurable) {
        this.keyspace = keyspace;
        this.mostBytes = mostBytes;
        this.log = log;
        this.mailbox = mailbox;
        this.onDurable = onDurable;
        merges = new Merges(keyspace, log);
        inserter = new CellInserter(keyspace, log);
        prefetch = new Prefetch(keyspace);
        Arrays.setAll(cells, _ -> new ReceivedCell());
        codec = new CellCodec(keyspace.replicas());
    }

    /// Whether so much waits for the disk that no more cells should be merged.
    public boolean congested() {
        return log.congested();
    }

    /// Whether the journal lost the last commit.
    public boolean isFailing() {
        return failing;
    }

    /// Whether there is memory for more cells.
    public boolean hasMemory() {
        return !outOfReplicaNumbers && keyspace.bytesKept() <= mostBytes;
    }

    /// Whether a cell was ever refused because its partition or its list of shards is full.
    public boolean hasRefusedCells() {
        return hasRefusedCells;
    }

    /// A replica id could not be given a number. No later one can, so from now on no cell is merged: what is refused
    /// would be asked for again and again.
    public void onOutOfReplicaNumbers() {
        outOfReplicaNumbers = true;
    }

    /// A cell was refused.
    public void onRefusedCell() {
        hasRefusedCells = true;
    }

    /// A cell was refused that has a fold which is not known here.
    public void onUnknownFold(long now) {
        int known = keyspace.replicas().foldsAdded();
        if (foldsWhenUnknown != known) {
            foldsWhenUnknown = known;
            unknownFoldSince = now;
        }
    }

    /// Whether a fold that others have made is on its way here. Until it has come answers would be refused, and a
    /// session that has answered takes what it is asked next for a repeat. False after a second, as nodes that have
    /// folded apart never get to know each other's folds.
    public boolean awaitsFold(long now) {
        return foldsWhenUnknown == keyspace.replicas().foldsAdded() && now - unknownFoldSince < FOLD_NANOS;
    }

    /// Merges the cells that the rest of a frame of `sender` consists of. Returns how many gained something.
    ///
    /// Throws when it meets a malformed cell: those before it are merged then, and perhaps some behind it. Throws at
    /// the end when any cell was refused: all others are merged then.
    public int mergeCells(ReplicaId sender, ByteReader in) throws MalformedException {
        int owner = keyspace.replicas().numberOf(sender);
        int gained = 0;
        gatheredBytes += in.remaining();
        mayBeNew = true;
        full = null;
        unknownFold = false;
        try {
            while (in.remaining() > 0) {
                gained += mergeGroup(in, owner);
            }
        } finally {
            for (ReceivedCell cell : cells) {
                cell.forget();
            }
        }
        if (unknownFold) {
            throw new UnknownFoldException();
        }
        if (full != null) {
            throw full;
        }
        return gained;
    }

    /// Merges a group of cells. Where none of a frame's earlier cells was new here, the later ones are not tried as
    /// insertions first.
    private int mergeGroup(ByteReader in, int owner) throws MalformedException {
        int count = decodeAhead(in, owner);
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

    /// Decodes the next cells and prefetches the memory that merging them will touch. Returns how many, which ends
    /// before a malformed one; throws if that is the first.
    private int decodeAhead(ByteReader in, int owner) throws MalformedException {
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
        if (hasUnknownFold()) {
            unknownFold = true;
            return false;
        }
        if (merges.isBeyondOwn(cell.key(), counter)) {
            // I1: only this process raises its own shard. A higher total elsewhere means that the memory of this
            // process was set back to an earlier state.
            throw new MalformedException(
                    "its counts for this process are higher than this process made. If this virtual"
                            + " machine was resumed from a snapshot, restart this process");
        }
        try {
            return merges.merge(cell.key(), counter, cell.owner()) != Counter.Merged.NOTHING_NEW;
        } catch (KeyspaceFullException noRoom) {
            full = noRoom;
            return false;
        }
    }

    private boolean hasUnknownFold() {
        Counter counts = counter.counts();
        for (int i = 0; i < counts.shards(); i++) {
            if (keyspace.replicas().isUnknownFold(counts.replica(i))) {
                return true;
            }
        }
        return false;
    }

    /// More of the session is merged than before; it is acknowledged with the next commit.
    public void noteAdvance(Progress progress) {
        advanced.add(progress);
    }

    /// Records a note of folds, and calls `written`, in the mailbox, when the journal has it.
    public void note(byte[] note, Runnable written) {
        log.recordNote(note);
        onWritten.add(written);
    }

    /// Commits what was merged since the last commit, if one is due.
    public void commit(long now) {
        if (failing) {
            commitAgain(now);
        } else if (!advanced.isEmpty() || !onWritten.isEmpty() || log.hasChanges()) {
            commitAt = Math.min(commitAt, now + GATHER_NANOS);
            if (now >= commitAt
                    || gatheredBytes >= GATHER_BYTES
                    || !onWritten.isEmpty()
                    || advanced.stream().anyMatch(Progress::isAckAwaited)) {
                commit();
            }
        }
    }

    /// Commits what was merged since the last commit, because the replicator ends.
    public void flush() {
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
        List<Runnable> noted = List.copyOf(onWritten);
        onWritten.clear();
        log.commit(new TurnLog.Outcome() {
            @Override
            public void written() {
                mailbox.execute(() -> onWritten(milestones, noted));
            }

            @Override
            public void lost() {
                mailbox.execute(() -> onLost(milestones, noted));
            }
        });
    }

    private void onWritten(List<Milestone> milestones, List<Runnable> noted) {
        failing = false;
        retryAt = Long.MAX_VALUE;
        for (Milestone milestone : milestones) {
            milestone.progress.onDurable(milestone.known);
            onDurable.accept(milestone.progress);
        }
        noted.forEach(Runnable::run);
    }

    private void onLost(List<Milestone> milestones, List<Runnable> noted) {
        onWritten.addAll(0, noted);
        milestones.forEach(milestone -> advanced.add(milestone.progress));
        failing = true;
    }

    /// When a commit is due, [Long#MAX_VALUE] when none is.
    public long nextDue() {
        return failing ? retryAt : commitAt;
    }

    /// How much of a session was merged when a commit began.
    private record Milestone(Progress progress, Known known) {}
}
