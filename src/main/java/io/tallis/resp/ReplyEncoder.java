package io.tallis.resp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.redis.ErrorRedisMessage;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.RedisEncoder;
import io.netty.handler.codec.redis.RedisMessage;
import io.netty.handler.codec.redis.SimpleStringRedisMessage;
import io.tallis.command.Client;
import io.tallis.command.Reply;
import io.tallis.keyspace.Score;
import io.tallis.runtime.Invariant;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The encoder of one connection's replies, for the protocol version that its client has selected.
///
/// Between [#begin] and [#end], common kinds of replies are written as bytes into the [Scratch] of the event loop. Rare
/// kinds become messages that Netty's encoder, the super class, encodes. Both are appended to the [Outbox] in order. In
/// the pipeline this handler encodes messages and passes buffers on.
final class ReplyEncoder extends RedisEncoder implements Reply {
    /// Longer strings do not go through the scratch.
    private static final int LONGEST_IN_SCRATCH = 16 * 1024;

    /// Longer lines are left to the super class.
    private static final int LONGEST_LINE = 1024;

    /// Room for a type, two numbers and their line ends.
    private static final int FRAME = 64;

    private static final byte[] OK = ascii("+OK\r\n");
    private static final byte[] NIL = ascii("$-1\r\n");
    private static final byte[] NIL_ARRAY = ascii("*-1\r\n");
    private static final byte[] NIL_3 = ascii("_\r\n");
    private static final byte[] PLAIN_TEXT = ascii("txt:");

    private final Client client;
    private final Scratch scratch;
    private final Outbox outbox;
    private @Nullable ChannelHandlerContext context;

    /// The buffer of an event loop in which it encodes the replies of one connection at a time, before they are copied
    /// to a buffer of exactly their length.
    static final class Scratch {
        /// Longer than any single reply that is encoded here.
        static final int LENGTH = 64 * 1024;

        private final byte[] bytes = new byte[LENGTH];
        private int length;
        private @Nullable ReplyEncoder user;
    }

    ReplyEncoder(Client client, Scratch scratch, Outbox outbox) {
        this.client = client;
        this.scratch = scratch;
        this.outbox = outbox;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        this.context = context;
    }

    /// Starts accepting replies.
    void begin() {
        Invariant.check(scratch.user == null, "one connection at a time writes replies");
        scratch.user = this;
    }

    /// Stops accepting replies and appends those given to the outbox. Frees the scratch for the next connection,
    /// whatever happens.
    void end() {
        try {
            spill();
        } finally {
            scratch.length = 0;
            scratch.user = null;
        }
    }

    /// Whether replies are accepted.
    boolean isOpen() {
        return scratch.user == this;
    }

    /// The number of bytes encoded and not handed to the network.
    int pending() {
        return outbox.bytes() + scratch.length;
    }

    @Override
    public int protocol() {
        return client.protocol();
    }

    @Override
    public void ok() {
        constant(OK);
    }

    @Override
    public void status(String text) {
        if (!line('+', text)) {
            message(new SimpleStringRedisMessage(oneLine(text)));
        }
    }

    @Override
    public void error(String text) {
        // Redis drops the ends of lines behind an error, and has blanks for all others.
        String trimmed = withoutLineEnds(text);
        if (!line('-', trimmed)) {
            message(new ErrorRedisMessage(oneLine(trimmed)));
        }
    }

    private static String withoutLineEnds(String text) {
        int end = text.length();
        while (end > 0 && (text.charAt(end - 1) == '\r' || text.charAt(end - 1) == '\n')) {
            end--;
        }
        return text.substring(0, end);
    }

    @Override
    public void integer(long value) {
        room(FRAME);
        put(':');
        number(value);
        endLine();
    }

    @Override
    public void unsigned(long value) {
        if (value >= 0) {
            integer(value);
        } else {
            unsignedDigits(value);
        }
    }

    @Override
    public void digits(long value) {
        header('$', Digits.length(value));
        number(value);
        endLine();
    }

    @Override
    public void unsignedDigits(long value) {
        if (value >= 0) {
            digits(value);
            return;
        }
        int length = Digits.lengthUnsigned(value);
        header('$', length);
        Digits.writeUnsigned(value, scratch.bytes, scratch.length, length);
        scratch.length += length;
        endLine();
    }

    @Override
    public void decimal(double value) {
        String digits = String.format(Locale.ROOT, "%.4f", value);
        if (client.protocol() == 2) {
            bulk(digits);
        } else {
            line(',', digits);
        }
    }

    @Override
    public void score(Score score) {
        if (client.protocol() != 2) {
            line(',', score.toString());
        } else if (score.isWhole()) {
            digits(score.whole());
        } else {
            bulk(score.toString());
        }
    }

    @Override
    public void bulk(byte[] bytes, int offset, int length) {
        if (length > LONGEST_IN_SCRATCH) {
            ByteBuf content = Objects.requireNonNull(context).alloc().ioBuffer(length);
            content.writeBytes(bytes, offset, length);
            message(new FullBulkStringRedisMessage(content));
            content.release();
            return;
        }
        room(length + FRAME);
        header('$', length);
        System.arraycopy(bytes, offset, scratch.bytes, scratch.length, length);
        scratch.length += length;
        endLine();
    }

    @Override
    public void text(String text) {
        if (client.protocol() == 2) {
            bulk(text);
            return;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        header('=', PLAIN_TEXT.length + bytes.length);
        constant(PLAIN_TEXT);
        spill();
        outbox.append(bytes, bytes.length);
        endLine();
    }

    @Override
    public void nil() {
        constant(client.protocol() == 2 ? NIL : NIL_3);
    }

    @Override
    public void nilArray() {
        constant(client.protocol() == 2 ? NIL_ARRAY : NIL_3);
    }

    @Override
    public void array(int size) {
        header('*', size);
    }

    @Override
    public void map(int size) {
        if (client.protocol() == 2) {
            header('*', 2 * size);
        } else {
            header('%', size);
        }
    }

    @Override
    public void set(int size) {
        header(client.protocol() == 2 ? '*' : '~', size);
    }

    @Override
    public void push(int size) {
        header(client.protocol() == 2 ? '*' : '>', size);
    }

    private void header(char type, int size) {
        room(FRAME);
        put(type);
        number(size);
        endLine();
    }

    private void number(long value) {
        int length = Digits.length(value);
        Digits.write(value, scratch.bytes, scratch.length, length);
        scratch.length += length;
    }

    private void constant(byte[] bytes) {
        room(bytes.length);
        System.arraycopy(bytes, 0, scratch.bytes, scratch.length, bytes.length);
        scratch.length += bytes.length;
    }

    /// Writes a line of ASCII. Returns false, without writing, when the text is longer or has other letters.
    private boolean line(char type, String text) {
        int length = text.length();
        if (length > LONGEST_LINE) {
            return false;
        }
        room(length + FRAME);
        int at = scratch.length + 1;
        for (int i = 0; i < length; i++) {
            char letter = text.charAt(i);
            if (letter > '~') {
                return false;
            }
            scratch.bytes[at++] = (byte) (letter == '\r' || letter == '\n' ? ' ' : letter);
        }
        put(type);
        scratch.length = at;
        endLine();
        return true;
    }

    private static String oneLine(String text) {
        return text.replace('\r', ' ').replace('\n', ' ');
    }

    private void put(char letter) {
        scratch.bytes[scratch.length++] = (byte) letter;
    }

    private void endLine() {
        put('\r');
        put('\n');
    }

    /// After [#end] another connection uses the scratch: a late reply must not reach another client.
    private void room(int length) {
        Invariant.check(scratch.user == this, "a reply is given while its request is handled");
        if (scratch.length + length > Scratch.LENGTH) {
            spill();
        }
    }

    private void spill() {
        outbox.append(scratch.bytes, scratch.length);
        scratch.length = 0;
    }

    private void message(RedisMessage message) {
        Invariant.check(scratch.user == this, "a reply is given while its request is handled");
        spill();
        List<Object> encoded = new ArrayList<>();
        encode(Objects.requireNonNull(context), message, encoded);
        for (Object buffer : encoded) {
            outbox.append((ByteBuf) buffer);
        }
    }

    /// The super class declares `Exception`, but throws one only for unknown types of messages.
    @Override
    protected void encode(ChannelHandlerContext context, RedisMessage message, List<Object> out) {
        try {
            super.encode(context, message, out);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
