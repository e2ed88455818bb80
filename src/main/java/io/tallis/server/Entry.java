package io.tallis.server;

import io.tallis.cluster.JoinState;
import io.tallis.cluster.Replicator;
import io.tallis.cluster.ReplicatorThread;
import io.tallis.runtime.Background;
import java.time.Duration;

/// The way of a node into service: looks how far its replicator has joined, until clients are served and its first join
/// has ended.
///
/// One that is whole serves when the end of its first join is on the disk: what clients were told in between would be
/// in a part, should it die there. One that is to serve with a part does so, and ends its first join when it has all.
/// Belongs to the replicator's thread.
final class Entry {
    private static final Duration LOOK = Duration.ofMillis(50);
    private static final Duration AGAIN = Duration.ofSeconds(5);

    private final ReplicatorThread replicator;
    private final FirstJoin firstJoin;
    private final Background background;
    private final Runnable serve;
    private boolean ending;
    private boolean tried;
    private boolean serving;

    Entry(ReplicatorThread replicator, FirstJoin firstJoin, Background background, Runnable serve) {
        this.replicator = replicator;
        this.firstJoin = firstJoin;
        this.background = background;
        this.serve = serve;
    }

    void look() {
        replicator.ask(this::look);
    }

    private void look(Replicator now) {
        if (now.isWhole() && !ending) {
            ending = true;
            end();
        }
        serveIfReady(now);
        if (!serving || !ending) {
            background.after(LOOK, this::look);
        }
    }

    private void serveIfReady(Replicator now) {
        if (!serving && now.state() == JoinState.READY && (!ending || tried)) {
            serving = true;
            serve.run();
        }
    }

    /// Tried again until the disk takes it; nobody waits for that.
    private void end() {
        firstJoin.ends(() -> replicator.ask(this::triedToEnd), () -> {
            replicator.ask(this::triedToEnd);
            background.after(AGAIN, () -> replicator.ask(_ -> end()));
        });
    }

    private void triedToEnd(Replicator now) {
        tried = true;
        serveIfReady(now);
    }
}
