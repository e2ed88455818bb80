package io.tallis.command;

import io.tallis.keyspace.Score;
import java.nio.charset.StandardCharsets;

/// The reply of a command, written element by element in the terms of RESP. Belongs to one connection and its event
/// loop.
///
/// An aggregate begins with its size and is followed by that many elements (a map by twice as many).
public interface Reply {
    /// The version of the protocol in which it is written, 2 or 3.
    int protocol();

    /// `+OK`
    void ok();

    /// A simple string: one line of ASCII.
    void status(String text);

    /// An error of one line that starts with an upper-case word. Line breaks in it become spaces.
    void error(String text);

    void integer(long value);

    /// An unsigned number: an integer up to 2^63-1, above that a bulk string of digits, in both protocol versions.
    void unsigned(long value);

    /// The decimal digits of a signed number, as a bulk string.
    void digits(long value);

    /// The decimal digits of an unsigned number, as a bulk string.
    void unsignedDigits(long value);

    /// A number with four decimal places; in RESP2 a bulk string.
    void decimal(double value);

    /// The protocol's floating-point number; in RESP2 a bulk string of its digits.
    void score(Score score);

    void bulk(byte[] bytes, int offset, int length);

    /// A text of several lines, for people; in RESP2 a bulk string.
    void text(String text);

    /// Null.
    void nil();

    /// A null array: the reply of a transaction that was not executed.
    void nilArray();

    void array(int size);

    /// A map of `size` pairs; in RESP2 an array of twice as many elements.
    void map(int size);

    /// A set; in RESP2 an array.
    void set(int size);

    /// A push message, which is not a reply; in RESP2 an array.
    void push(int size);

    default void bulk(byte[] bytes) {
        bulk(bytes, 0, bytes.length);
    }

    default void bulk(String text) {
        bulk(text.getBytes(StandardCharsets.UTF_8));
    }

    /// Discards everything that is written to it.
    Reply NONE = new Reply() {
        @Override
        public int protocol() {
            return 2;
        }

        @Override
        public void ok() {}

        @Override
        public void status(String text) {}

        @Override
        public void error(String text) {}

        @Override
        public void integer(long value) {}

        @Override
        public void unsigned(long value) {}

        @Override
        public void digits(long value) {}

        @Override
        public void unsignedDigits(long value) {}

        @Override
        public void decimal(double value) {}

        @Override
        public void score(Score score) {}

        @Override
        public void bulk(byte[] bytes, int offset, int length) {}

        @Override
        public void text(String text) {}

        @Override
        public void nil() {}

        @Override
        public void nilArray() {}

        @Override
        public void array(int size) {}

        @Override
        public void map(int size) {}

        @Override
        public void set(int size) {}

        @Override
        public void push(int size) {}
    };
}
