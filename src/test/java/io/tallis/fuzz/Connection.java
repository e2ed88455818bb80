package io.tallis.fuzz;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A client's connection to one of the servers.
final class Connection implements AutoCloseable {
    /// In the message of the exception when a server has stopped.
    static final String NO_REPLY = "no reply from port ";

    private static final int TIMEOUT_MILLIS = 30_000;
    private static final int BUFFER_BYTES = 1 << 16;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final ByteArrayOutputStream pending = new ByteArrayOutputStream(BUFFER_BYTES);

    Connection(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        in = new BufferedInputStream(socket.getInputStream(), BUFFER_BYTES);
        out = socket.getOutputStream();
    }

    void add(Request request) {
        pending.writeBytes(request.encoded());
    }

    void flush() throws IOException {
        pending.writeTo(out);
        pending.reset();
    }

    RespReply call(String... words) throws IOException {
        add(Request.of(words));
        flush();
        return read();
    }

    RespReply read() throws IOException {
        try {
            return next();
        } catch (SocketTimeoutException e) {
            throw new IOException(NO_REPLY + socket.getPort() + " for " + TIMEOUT_MILLIS + " ms", e);
        }
    }

    private RespReply next() throws IOException {
        String line = line();
        char type = line.charAt(0);
        String rest = line.substring(1);
        return switch (type) {
            case '+', '-', ':', ',', '#', '(' -> new RespReply(type, rest, List.of());
            case '_' -> new RespReply('_', "", List.of());
            case '$', '=' ->
                rest.equals("-1")
                        ? new RespReply('N', "", List.of())
                        : new RespReply(type, bulk(Integer.parseInt(rest)), List.of());
            case '*' -> rest.equals("-1") ? new RespReply('A', "", List.of()) : list(type, Integer.parseInt(rest));
            case '~', '>' -> list(type, Integer.parseInt(rest));
            case '%' -> list(type, 2 * Integer.parseInt(rest));
            default -> throw new IOException("not a reply: " + Request.typed(line));
        };
    }

    private RespReply list(char type, int size) throws IOException {
        List<RespReply> items = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            items.add(next());
        }
        return new RespReply(type, "", items);
    }

    private String bulk(int length) throws IOException {
        byte[] bytes = in.readNBytes(length + 2);
        if (bytes.length < length + 2) {
            throw new EOFException("the connection ended within a reply");
        }
        return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        int letter;
        while ((letter = in.read()) != '\r') {
            if (letter < 0) {
                throw new EOFException("the connection ended");
            }
            line.append((char) letter);
        }
        if (in.read() != '\n' || line.isEmpty()) {
            throw new IOException("not the end of a line: " + line);
        }
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
