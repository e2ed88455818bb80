package io.tallis.cluster.records;

import io.tallis.wire.MalformedException;

/// The state of a session as other nodes remember it. It only goes forward, so the later of two records is known
/// without a clock.
public enum NodeState {
    JOINING(0),
    READY(1),
    /// It was stopped in order. A session that crashed or was cut off keeps the state that it had.
    LEFT(2);

    private final int code;

    NodeState(int code) {
        this.code = code;
    }

    /// Its number in frames and on disk.
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
