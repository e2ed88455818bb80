package io.tallis.testing;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/// A minimal client connection: sends words and reads replies. It has no features that could hide a fault.
public final class RespSocket implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 60_000;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final ByteArrayOutputStream pending = new ByteArrayOutputStream();

    public RespSocket(int port) throws IOException {
        this(InetAddress.getLoopbackAddress(), port);
    }

    public RespSocket(InetAddress host, int port) throws IOException {
        socket = new Socket(host, port);
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    /// Adds a command to what [#flush] sends.
    public RespSocket add(String... words) {
        ascii("*" + words.length + "\r\n");
        for (String word : words) {
            ascii("$" + word.getBytes(StandardCharsets.UTF_8).length + "\r\n" + word + "\r\n");
        }
        return this;
    }

    /// Sends text that need not be a command.
    public void sendRaw(String text) throws IOException {
        ascii(text);
        flush();
    }

    private void ascii(String text) {
        pending.writeBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    public void flush() throws IOException {
        out.write(pending.toByteArray());
        pending.reset();
    }

    /// Sends a command and returns its reply.
    public String call(String... words) throws IOException {
        add(words).flush();
        return read();
    }

    /// The next reply: a status, an error with its `-`, a number, the text of a bulk, `(nil)`, or the elements of an
    /// array in brackets.
    public String read() throws IOException {
        String line = line();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+', ':' -> rest;
            case '-' -> line;
            case '$' -> rest.equals("-1") ? "(nil)" : bulk(Integer.parseInt(rest));
            case '=' -> bulk(Integer.parseInt(rest)).substring("txt:".length());
            case '*', '~', '>' -> array(Integer.parseInt(rest));
            case '%' -> array(2 * Integer.parseInt(rest));
            case '_' -> "(nil)";
            default -> throw new IOException("not a reply: " + line);
        };
    }

    private String array(int size) throws IOException {
        if (size < 0) {
            return "(nil)";
        }
        StringBuilder elements = new StringBuilder("[");
        for (int i = 0; i < size; i++) {
            elements.append(i == 0 ? "" : ", ").append(read());
        }
        return elements.append(']').toString();
    }

    private String bulk(int length) throws IOException {
        byte[] bytes = in.readNBytes(length + 2);
        if (bytes.length < length + 2) {
            throw new EOFException("the connection ended within a reply");
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int letter;
        while ((letter = in.read()) != '\r') {
            if (letter < 0) {
                throw new EOFException("the connection ended");
            }
            line.write(letter);
        }
        in.read();
        return line.toString(StandardCharsets.UTF_8);
    }

    /// A number that `INFO` tells.
    public long info(String field) throws IOException {
        String prefix = field + ":";
        return call("INFO", "all")
                .lines()
                .filter(line -> line.startsWith(prefix))
                .mapToLong(line -> Long.parseLong(line.substring(prefix.length())))
                .findFirst()
                .orElseThrow(() -> new IOException("INFO does not tell " + field));
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
