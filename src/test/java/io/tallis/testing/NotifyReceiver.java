package io.tallis.testing;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/// The socket at which systemd hears from its services.
public final class NotifyReceiver implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final String path;
    private final Socket socket;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1024);

    public NotifyReceiver(Path path) throws IOException {
        this(path.toString());
    }

    /// A name that begins with `@` is not in the file system.
    public NotifyReceiver(String path) throws IOException {
        this.path = path;
        Epoll.ensureAvailability();
        socket = Socket.newSocketDomainDgram();
        socket.bind(new DomainSocketAddress(path.replaceFirst("^@", "\0")));
    }

    public String path() {
        return path;
    }

    /// The oldest message that was not read yet; null if there is none.
    public @Nullable String poll() {
        try {
            buffer.clear();
            var sender = socket.recvFromDomainSocket(buffer, 0, buffer.capacity());
            if (sender == null) {
                return null;
            }
            byte[] bytes = new byte[sender.receivedAmount()];
            buffer.get(0, bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /// Reads messages up to one that has this line.
    public void await(String line) {
        Awaitility.await("a message with " + line).atMost(TIMEOUT).until(() -> readUpTo(line));
    }

    /// Leaves as few messages as possible: what is sent to a full queue is lost.
    private boolean readUpTo(String line) {
        for (String message = poll(); message != null; message = poll()) {
            if (message.lines().anyMatch(line::equals)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
