package io.tallis.resp.socket;

import java.util.List;

/// Where and how the server listens, fixed at the start.
///
/// `port` 0 means any free port, [#NO_PORT] none. `transport` is `auto`, `io_uring`, `epoll` or `nio`. `ioThreads` 0
/// means one event loop per two processors.
public record RespSettings(List<String> bind, int port, int tcpBacklog, int ioThreads, String transport) {
    public static final int NO_PORT = -1;
}
