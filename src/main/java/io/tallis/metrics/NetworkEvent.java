package io.tallis.metrics;

/// What happens to connections and is counted in [NetworkStats].
public enum NetworkEvent {
    /// A client has connected, whether it was let in or not.
    RECEIVED(0),
    /// A client was turned away: too many others, or protected mode.
    REJECTED(1),
    /// A client that had been let in is gone.
    CLOSED(2),
    BYTES_IN(3),
    BYTES_OUT(4),
    /// A connection was closed because its client did not take its replies.
    OUTPUT_LIMIT(5),
    /// A connection was closed because its client sent more than may wait to be handled.
    QUERY_LIMIT(6),
    /// What a client sent was not the protocol.
    PROTOCOL_ERROR(7),
    /// Something was read from a connection.
    READ(8),
    /// Something was written to a connection.
    WRITE(9),
    /// A connection was closed because all together took too much memory, and it most.
    EVICTED(10);

    final int slot;

    NetworkEvent(int slot) {
        this.slot = slot;
    }
}
