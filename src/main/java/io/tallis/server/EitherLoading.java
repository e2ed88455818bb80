package io.tallis.server;

import io.tallis.command.dispatch.LoadState;

/// Loading as long as either of two is: first the disk, then what the other nodes have.
record EitherLoading(LoadState first, LoadState second) implements LoadState {
    @Override
    public boolean loading() {
        return first.loading() || second.loading();
    }

    @Override
    public int percent() {
        return present().percent();
    }

    @Override
    public String text() {
        return present().text();
    }

    private LoadState present() {
        return first.loading() ? first : second;
    }
}
