package io.tallis.resp;

/// The limits of connections, which may change while the server runs. A limit of 0 means none, as in Redis. When the
/// requests and replies of all connections take more than `clientsBytes`, the connections that take the most are
/// closed.
public record RespLimits(
        int maxClients,
        int timeoutSeconds,
        int tcpKeepaliveSeconds,
        boolean protectedMode,
        boolean passwordSet,
        int protoMaxBulkLen,
        long clientQueryBufferLimit,
        long clientsBytes,
        OutputLimit normalOutput,
        OutputLimit pubsubOutput) {

    /// A connection is closed when its waiting replies exceed `hardBytes`, or exceed `softBytes` for `softSeconds`.
    public record OutputLimit(long hardBytes, long softBytes, int softSeconds) {}
}
