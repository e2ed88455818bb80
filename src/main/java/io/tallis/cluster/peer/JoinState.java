package io.tallis.cluster.peer;

import java.util.Arrays;
import java.util.Optional;

/// How far a node is on its way to serving clients. `Joining` has the transitions.
public enum JoinState {
    /// It loads its counters from its own disk.
    LOADING(0),
    /// It looks for complete nodes of its cluster, or for a cluster.
    SEEKING(1),
    /// It fetches what complete nodes have.
    PULLING(2),
    /// It waits until its journal has what they had when the pull began.
    CATCHING_UP(3),
    /// It serves clients.
    READY(4),
    /// It is ready, but serves no client, since an operator holds it.
    HELD(5);

    private final int code;

    JoinState(int code) {
        this.code = code;
    }

    /// Its number in frames.
    int code() {
        return code;
    }

    static Optional<JoinState> ofCode(int code) {
        return Arrays.stream(values()).filter(state -> state.code == code).findFirst();
    }
}
