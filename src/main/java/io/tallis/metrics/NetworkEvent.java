package io.tallis.metrics;

/// The events of connections that [NetworkStats] counts.
public enum NetworkEvent {
    /// A client has connected, whether it was accepted or not.
    RECEIVED(0),
    /// A client was refused: too many clients, or protected mode.
    REJECTED(1),
    /// An accepted client has disconnected.
    CLOSED(2),
    BYTES_IN(3),
    BYTES_OUT(4),
    /// A connection was closed because its waiting replies exceeded a limit.
    OUTPUT_LIMIT(5),
    /// A connection was closed because its waiting requests exceeded a limit.
    QUERY_LIMIT(6),
    /// A client violated the protocol.
    PROTOCOL_ERROR(7),
    /// A read from a connection.
    READ(8),
    /// A write to a connection.
    WRITE(9),
    /// A connection was closed because all connections together took too much memory.
    EVICTED(10);

    final int slot;

    NetworkEvent(int slot) {
        this.slot = slot;
    }
}
