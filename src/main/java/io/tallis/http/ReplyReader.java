package io.tallis.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/// Complete replies of RESP2, read one after the other and written as JSON.
///
/// Strings become JSON strings as UTF-8 with replacement characters, or in Base64 if the client has asked for that, all
/// but the status `OK`. Integers beyond ±2^53 become strings, since JavaScript would round them.
final class ReplyReader {
    private static final long LARGEST_NUMBER = 1L << 53;

    private final ByteBuf bytes;
    private final boolean base64;

    ReplyReader(ByteBuf bytes, boolean base64) {
        this.bytes = bytes;
        this.base64 = base64;
    }

    /// Whether the next reply is an error.
    boolean atError() {
        return type() == '-';
    }

    /// Whether the next reply is an array, and not null.
    boolean atArray() {
        return type() == '*' && bytes.getByte(bytes.readerIndex() + 1) != '-';
    }

    private char type() {
        return (char) bytes.getByte(bytes.readerIndex());
    }

    /// Reads a status or an error.
    String line() {
        int end = lineEnd();
        bytes.skipBytes(1);
        String line = bytes.readCharSequence(end - bytes.readerIndex(), StandardCharsets.UTF_8)
                .toString();
        bytes.skipBytes(2);
        return line;
    }

    /// Reads an integer, or the size of an array, whose elements follow.
    long number() {
        int end = lineEnd();
        long number = number(bytes, bytes.readerIndex() + 1, end);
        bytes.readerIndex(end + 2);
        return number;
    }

    /// Reads a string; null if there is none.
    byte @Nullable [] string() {
        long length = number();
        if (length < 0) {
            return null;
        }
        byte[] string = new byte[(int) length];
        bytes.readBytes(string);
        bytes.skipBytes(2);
        return string;
    }

    private int lineEnd() {
        return bytes.indexOf(bytes.readerIndex(), bytes.writerIndex(), (byte) '\r');
    }

    /// The number whose digits are at these indexes.
    static long number(ByteBuf bytes, int from, int to) {
        boolean isNegative = bytes.getByte(from) == '-';
        long number = 0;
        for (int i = isNegative ? from + 1 : from; i < to; i++) {
            number = number * 10 + bytes.getByte(i) - '0';
        }
        return isNegative ? -number : number;
    }

    /// Skips replies. Returns the first error among them; null if there is none.
    @Nullable
    String skip(int replies) {
        String error = null;
        for (long missing = replies; missing > 0; missing--) {
            switch (type()) {
                case '*' -> missing += Math.max(0, number());
                case '$' -> string();
                case '-' -> {
                    String text = line();
                    error = error == null ? text : error;
                }
                default -> line();
            }
        }
        return error;
    }

    /// Writes the next reply as an object with its `result` or `error`.
    void writeWrapped(JsonGenerator out) throws IOException {
        out.writeStartObject();
        if (atError()) {
            out.writeStringField("error", line());
        } else {
            out.writeFieldName("result");
            write(out);
        }
        out.writeEndObject();
    }

    /// Writes the next reply.
    void write(JsonGenerator out) throws IOException {
        switch (type()) {
            case '+' -> writeStatus(line(), out);
            case ':' -> writeNumber(number(), out);
            case '$' -> writeString(string(), out);
            case '*' -> writeArray(number(), out);
            default -> out.writeString(line());
        }
    }

    /// Writes the next reply, an array of names and values, as an object.
    void writeObject(JsonGenerator out) throws IOException {
        out.writeStartObject();
        for (long missing = number(); missing > 0; missing -= 2) {
            byte[] name = string();
            out.writeFieldName(name == null ? "" : new String(name, StandardCharsets.UTF_8));
            write(out);
        }
        out.writeEndObject();
    }

    private void writeStatus(String status, JsonGenerator out) throws IOException {
        if (status.equals("OK")) {
            out.writeString(status);
        } else {
            writeString(status.getBytes(StandardCharsets.UTF_8), out);
        }
    }

    private void writeNumber(long number, JsonGenerator out) throws IOException {
        if (number >= -LARGEST_NUMBER && number <= LARGEST_NUMBER) {
            out.writeNumber(number);
        } else {
            writeString(Long.toString(number).getBytes(StandardCharsets.US_ASCII), out);
        }
    }

    private void writeString(byte @Nullable [] string, JsonGenerator out) throws IOException {
        if (string == null) {
            out.writeNull();
        } else if (base64) {
            out.writeString(Base64.getEncoder().encodeToString(string));
        } else {
            out.writeString(new String(string, StandardCharsets.UTF_8));
        }
    }

    private void writeArray(long size, JsonGenerator out) throws IOException {
        if (size < 0) {
            out.writeNull();
            return;
        }
        out.writeStartArray();
        for (long i = 0; i < size; i++) {
            write(out);
        }
        out.writeEndArray();
    }
}
