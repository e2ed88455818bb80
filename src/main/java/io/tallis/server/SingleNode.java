package io.tallis.server;

import io.tallis.cluster.Self;
import io.tallis.command.LoadState;
import io.tallis.command.Peers;

/// A node by itself: it has no others, and sends nothing.
final class SingleNode implements Membership {
    @Override
    public void join(Persistence persistence, Self self, Runnable ready) {
        ready.run();
    }

    @Override
    public LoadState loadState() {
        return LoadState.DONE;
    }

    @Override
    public Peers peers() {
        return Peers.NONE;
    }

    @Override
    public void changed() {}

    @Override
    public void leave() {}
}
