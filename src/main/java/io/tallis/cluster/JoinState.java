package io.tallis.cluster;

import java.util.Arrays;
import java.util.Optional;

/// How far a node is on its way into the cluster. Only one that is [#READY] serves data.
public enum JoinState {
    /// Its counters come from its own disk.
    LOADING(0),
    /// It looks who is there, and whether anybody knows more.
    SEEKING(1),
    /// It gets what the others have.
    PULLING(2),
    /// It gets what changed meanwhile.
    CATCHING_UP(3),
    READY(4);

    private final int code;

    JoinState(int code) {
        this.code = code;
    }

    /// The number that stands for it in frames.
    int code() {
        return code;
    }

    static Optional<JoinState> ofCode(int code) {
        return Arrays.stream(values()).filter(state -> state.code == code).findFirst();
    }
}
