package io.tallis.resp;

/// What a connection may cost; may change while the server runs. A limit of 0 means none, as in Redis. All connections
/// together may take `clientsBytes` with requests and replies; when they take more, those that take most are closed.
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

    /// A connection whose client does not take its replies is closed at once above `hardBytes`, and after
    /// `softSeconds` above `softBytes`.
    public record OutputLimit(long hardBytes, long softBytes, int softSeconds) {}
}
