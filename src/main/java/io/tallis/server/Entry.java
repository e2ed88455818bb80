package io.tallis.server;

import io.tallis.cluster.JoinState;
import io.tallis.cluster.ReplicationStatus;
import io.tallis.runtime.Background;
import java.time.Duration;
import java.util.function.Supplier;

/// The way of a node into service, and what its disk knows of how much it has: looks how far its replicator has come,
/// for as long as the node lives.
///
/// One that is whole serves when the end of its first join is on the disk: what clients were told in between would be
/// in a part, should it die there. One that is to serve with a part does so, and ends its first join when it has all.
/// One that was whole and has a part begins another first join, and its replicator waits until the disk knows that.
/// Belongs to the background's thread.
final class Entry {
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration AGAIN = Duration.ofSeconds(5);

    private final Supplier<ReplicationStatus.Joining> standing;
    private final FirstJoin firstJoin;
    private final Background background;
    private final Reached reached;
    private Disk disk;
    private boolean tried;
    private boolean serving;

    /// What the disk knows, or is told.
    private enum Disk {
        PART,
        PART_SOON,
        WHOLE,
        WHOLE_SOON,
        WHOLE_OR_PART
    }

    /// Who does something about it.
    interface Reached {
        /// Clients are to be served.
        void service();

        /// The disk knows that this is a part.
        void partOnDisk();
    }

    Entry(Supplier<ReplicationStatus.Joining> standing, FirstJoin firstJoin, Background background, Reached reached) {
        this.standing = standing;
        this.firstJoin = firstJoin;
        this.background = background;
        this.reached = reached;
        disk = firstJoin.isUnfinished() ? Disk.PART : Disk.WHOLE;
    }

    void begin() {
        background.every(LOOK, this::look);
    }

    private void look() {
        ReplicationStatus.Joining now = standing.get();
        boolean isUnknown = disk == Disk.WHOLE_OR_PART;
        if (now.whole() && (disk == Disk.PART || isUnknown)) {
            disk = Disk.WHOLE_SOON;
            firstJoin.ends(() -> then(() -> is(Disk.WHOLE)), () -> then(this::again));
        } else if (!now.whole() && (disk == Disk.WHOLE || isUnknown)) {
            disk = Disk.PART_SOON;
            firstJoin.begins(() -> then(() -> is(Disk.PART)), () -> then(this::again));
        } else if (!now.whole() && disk == Disk.PART) {
            reached.partOnDisk();
        }
        boolean mayServe = !now.whole() || disk == Disk.WHOLE || tried;
        if (!serving && now.state() == JoinState.READY && mayServe) {
            serving = true;
            reached.service();
        }
    }

    private void then(Runnable task) {
        background.after(Duration.ZERO, task);
    }

    private void is(Disk known) {
        disk = known;
        look();
    }

    /// The disk fails: nobody waits for it longer than this. The file may be gone all the same.
    private void again() {
        tried = true;
        background.after(AGAIN, () -> is(Disk.WHOLE_OR_PART));
        look();
    }
}
