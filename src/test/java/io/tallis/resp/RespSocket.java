package io.tallis.resp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;

/// A client socket that sends and expects exact bytes. Each character of a text is a byte.
final class RespSocket implements AutoCloseable {
    private static final int MILLIS_TO_WAIT = 20_000;

    private final Socket socket;

    RespSocket(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(MILLIS_TO_WAIT);
        socket.setTcpNoDelay(true);
    }

    static RespSocket connect(int port) throws IOException {
        return new RespSocket(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    RespSocket send(String bytes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
        return this;
    }

    /// Sends as much as the server takes before it closes the connection.
    RespSocket sendUntilClosed(String bytes) throws IOException {
        try {
            return send(bytes);
        } catch (SocketException _) {
            return this;
        }
    }

    /// Closes the client's side.
    RespSocket sendEnd() throws IOException {
        socket.shutdownOutput();
        return this;
    }

    /// Expects these bytes.
    RespSocket expect(String bytes) throws IOException {
        byte[] received = socket.getInputStream().readNBytes(bytes.length());
        assertThat(new String(received, ISO_8859_1)).isEqualTo(bytes);
        return this;
    }

    /// Expects so many bytes of any value.
    void skip(long count) throws IOException {
        socket.getInputStream().skipNBytes(count);
    }

    /// Expects that nothing has arrived.
    void expectSilence() throws IOException {
        assertThat(socket.getInputStream().available()).isZero();
    }

    /// Expects the end of the connection, and nothing before it.
    void expectEnd() throws IOException {
        assertThat(rest()).isEmpty();
    }

    /// Returns everything up to the end of the connection.
    String rest() throws IOException {
        try {
            return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
        } catch (SocketException _) {
            // The server closed while bytes of ours were on their way.
            return "";
        }
    }

    String localAddress() {
        return "127.0.0.1:" + socket.getLocalPort();
    }

    /// Resets the connection.
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
