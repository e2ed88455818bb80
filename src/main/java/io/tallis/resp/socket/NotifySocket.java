package io.tallis.resp.socket;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// A sender of datagrams to a Unix domain socket, such as that of systemd.
///
/// The JDK has only streams for such sockets. This uses the calls with which Netty's own channels send, without a
/// channel, since nothing is received and no event loop is needed. Any thread may send.
public final class NotifySocket {
    private final Socket socket;
    private final byte[] path;

    private NotifySocket(Socket socket, byte[] path) {
        this.socket = socket;
        this.path = path;
    }

    /// A path that begins with `@` is an abstract name, which is not in the file system.
    public static NotifySocket to(String path) throws IOException {
        if (!Epoll.isAvailable()) {
            throw new IOException("the native library of the transport epoll does not work on this machine");
        }
        byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
        if (path.startsWith("@")) {
            bytes[0] = 0;
        }
        return new NotifySocket(Socket.newSocketDomainDgram(), bytes);
    }

    /// Does not wait: if the receiver's queue is full, the message is dropped.
    public void send(String message) throws IOException {
        byte[] bytes = message.getBytes(StandardCharsets.UTF_8);
        ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes);
        var _ = socket.sendToDomainSocket(direct, 0, bytes.length, path);
    }
}
