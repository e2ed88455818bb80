package io.tallis.resp;

import java.util.List;

/// Where and how the server listens; fixed at start.
///
/// `port` 0 lets the system choose, [#NO_PORT] is none; `tlsPort` 0 means no TLS; empty names of files mean none.
/// `transport` is `auto`, `io_uring`, `epoll` or `nio`; `ioThreads` 0 means one for every two cores.
public record RespSettings(
        List<String> bind,
        int port,
        int tcpBacklog,
        int ioThreads,
        String transport,
        int tlsPort,
        String tlsCertFile,
        String tlsKeyFile,
        String tlsCaCertFile,
        boolean tlsAuthClients) {
    public static final int NO_PORT = -1;
}
