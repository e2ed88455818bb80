package io.tallis.server;

/// Whether a node's data directory ever had all that the others had, remembered over its lives.
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
        public void ends(Runnable failed) {}
    };

    /// Whether one has begun, and none has ended.
    boolean isUnfinished();

    /// Returns when that will survive a crash: before there is anything that others counted.
    void begins();

    /// What the node has is all that the others have; remembered as soon as it will survive a crash. Returns at once;
    /// `failed` hears, on any thread, when that cannot be remembered now.
    void ends(Runnable failed);
}
