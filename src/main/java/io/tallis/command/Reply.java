package io.tallis.command;

import java.nio.charset.StandardCharsets;

/// Where a command's answer goes, in the terms of the protocol. Belongs to one connection and its event loop.
///
/// An aggregate is announced by its size and followed by that many elements (a map by twice as many).
public interface Reply {
    /// `+OK`
    void ok();

    /// A status of one line of ASCII.
    void status(String text);

    /// An error of one line, its first word upper-case; line breaks in it become spaces.
    void error(String text);

    void integer(long value);

    /// An unsigned number: an integer as far as 63 bits reach, a bulk string of digits above, in every protocol
    /// version.
    void unsigned(long value);

    /// The decimal digits of a signed number, as a bulk string.
    void digits(long value);

    /// The decimal digits of an unsigned number, as a bulk string.
    void unsignedDigits(long value);

    /// A number with a fraction, to four places; in RESP2 a bulk string.
    void decimal(double value);

    void bulk(byte[] bytes, int offset, int length);

    /// A text of several lines for people; in RESP2 a bulk string.
    void text(String text);

    /// No value.
    void nil();

    /// No aggregate: what a transaction that was not executed answers.
    void nilArray();

    void array(int size);

    /// A map of `size` pairs; in RESP2 an array of twice as many elements.
    void map(int size);

    /// A set; in RESP2 an array.
    void set(int size);

    /// Something that answers no command; in RESP2 an array.
    void push(int size);

    default void bulk(byte[] bytes) {
        bulk(bytes, 0, bytes.length);
    }

    default void bulk(String text) {
        bulk(text.getBytes(StandardCharsets.UTF_8));
    }
}
