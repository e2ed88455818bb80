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

    /// Whether it is told something, or has failed just now.
    private boolean busy;

    /// Whether it has failed, and not done what it was told since.
    private boolean failed;

    private boolean serving;

    /// What the disk knows.
    private enum Disk {
        PART,
        WHOLE,
        /// It is told, or failed when it was: the file may be there or not.
        UNKNOWN
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
        if (!busy && disk != (now.whole() ? Disk.WHOLE : Disk.PART)) {
            tell(now.whole());
        }
        if (!now.whole() && disk == Disk.PART) {
            reached.partOnDisk();
        }
        boolean mayServe = !now.whole() || disk == Disk.WHOLE || failed;
        if (!serving && now.state() == JoinState.READY && mayServe) {
            serving = true;
            reached.service();
        }
    }

    private void tell(boolean whole) {
        disk = Disk.UNKNOWN;
        busy = true;
        if (whole) {
            firstJoin.ends(() -> then(() -> knows(Disk.WHOLE)), () -> then(this::again));
        } else {
            firstJoin.begins(() -> then(() -> knows(Disk.PART)), () -> then(this::again));
        }
    }

    private void then(Runnable task) {
        background.after(Duration.ZERO, task);
    }

    private void knows(Disk now) {
        disk = now;
        busy = false;
        failed = false;
        look();
    }

    /// Nobody waits for a disk that fails.
    private void again() {
        failed = true;
        look();
        background.after(AGAIN, () -> {
            busy = false;
            look();
        });
    }
}
