package io.tallis.server;

/// Whether a node's data directory has all that the others had, as far as it knew, remembered over its lives.
interface FirstJoin {
    /// Of a node that keeps nothing: each of its lives begins without counters.
    FirstJoin NONE = new FirstJoin() {
        @Override
        public boolean isUnfinished() {
            return false;
        }

        @Override
        public void begins() {}

        @Override
        public void begins(Runnable done, Runnable failed) {
            done.run();
        }

        @Override
        public void ends(Runnable done, Runnable failed) {
            done.run();
        }
    };

    /// Whether one has begun, and none has ended since.
    boolean isUnfinished();

    /// Returns when that will survive a crash: before there is anything that others counted. Throws [StartException]
    /// when it cannot.
    void begins();

    /// One begins again. Returns at once; `done` hears, on any thread, when that will survive a crash, `failed` when
    /// it cannot be remembered now.
    void begins(Runnable done, Runnable failed);

    /// What the node has is all that the others have. Returns at once; `done` hears, on any thread, when that is
    /// remembered and will survive a crash, `failed` when that cannot be now.
    void ends(Runnable done, Runnable failed);
}
