package io.tallis.cluster;

/// How far a node is on its way into the cluster. Only one that is [#READY] serves data.
public enum JoinState {
    /// Its counters come from its own disk.
    LOADING,
    /// It looks who is there, and whether anybody knows more.
    SEEKING,
    /// It gets what the others have.
    PULLING,
    /// It gets what changed meanwhile.
    CATCHING_UP,
    READY
}
