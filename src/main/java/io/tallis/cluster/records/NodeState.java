package io.tallis.cluster.records;

import io.tallis.wire.MalformedException;

/// How far a session of a node has come, as the others remember it. It only ever goes forward, so that of two records
/// the later one is known without a clock.
public enum NodeState {
    JOINING(0),
    READY(1),
    /// It stopped in good order. One that crashed, or is cut off, keeps the state it had.
    LEFT(2);

    private final int code;

    NodeState(int code) {
        this.code = code;
    }

    /// What stands for it in frames and on disk.
    int code() {
        return code;
    }

    static NodeState of(int code) throws MalformedException {
        for (NodeState state : values()) {
            if (state.code == code) {
                return state;
            }
        }
        throw new MalformedException("a node in state " + code);
    }
}
