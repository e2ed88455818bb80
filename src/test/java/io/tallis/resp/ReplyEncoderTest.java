package io.tallis.resp;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.redis.IntegerRedisMessage;
import io.tallis.command.Client;
import io.tallis.command.Reply;
import io.tallis.runtime.Invariant.InvariantViolation;
import io.tallis.testing.Property;
import java.lang.reflect.Proxy;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ReplyEncoderTest {
    private final Client client = new Client(1, null, null);
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final Outbox outbox = new Outbox(channel, () -> 0);
    private final ReplyEncoder encoder = new ReplyEncoder(client, new ReplyEncoder.Scratch(), outbox);

    ReplyEncoderTest() {
        channel.pipeline().addLast(encoder);
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    @Test
    void encode_inProtocol2_isWhatRedisSends() {
        assertThat(encoded(Reply::ok)).isEqualTo("+OK\r\n");
        assertThat(encoded(reply -> reply.status("PONG"))).isEqualTo("+PONG\r\n");
        assertThat(encoded(reply -> reply.error("ERR no"))).isEqualTo("-ERR no\r\n");
        assertThat(encoded(reply -> reply.integer(-42))).isEqualTo(":-42\r\n");
        assertThat(encoded(reply -> reply.digits(-42))).isEqualTo("$3\r\n-42\r\n");
        assertThat(encoded(reply -> reply.bulk("visits"))).isEqualTo("$6\r\nvisits\r\n");
        assertThat(encoded(reply -> reply.bulk(""))).isEqualTo("$0\r\n\r\n");
        assertThat(encoded(reply -> reply.text("a\nb"))).isEqualTo("$3\r\na\nb\r\n");
        assertThat(encoded(Reply::nil)).isEqualTo("$-1\r\n");
        assertThat(encoded(Reply::nilArray)).isEqualTo("*-1\r\n");
        assertThat(encoded(reply -> reply.array(3))).isEqualTo("*3\r\n");
        assertThat(encoded(reply -> reply.map(3))).isEqualTo("*6\r\n");
        assertThat(encoded(reply -> reply.set(3))).isEqualTo("*3\r\n");
        assertThat(encoded(reply -> reply.push(3))).isEqualTo("*3\r\n");
    }

    @Test
    void encode_inProtocol3_usesItsTypes() {
        client.protocol(3);

        assertThat(encoded(reply -> reply.text("a\nb"))).isEqualTo("=7\r\ntxt:a\nb\r\n");
        assertThat(encoded(reply -> reply.text("x".repeat(100_000))))
                .isEqualTo("=100004\r\ntxt:" + "x".repeat(100_000) + "\r\n");
        assertThat(encoded(Reply::nil)).isEqualTo("_\r\n");
        assertThat(encoded(Reply::nilArray)).isEqualTo("_\r\n");
        assertThat(encoded(reply -> reply.array(3))).isEqualTo("*3\r\n");
        assertThat(encoded(reply -> reply.map(3))).isEqualTo("%3\r\n");
        assertThat(encoded(reply -> reply.set(3))).isEqualTo("~3\r\n");
        assertThat(encoded(reply -> reply.push(3))).isEqualTo(">3\r\n");
        assertThat(encoded(reply -> reply.integer(7))).isEqualTo(":7\r\n");
    }

    @Test
    void end_withoutMemoryForReplies_freesTheScratch() {
        var scratch = new ReplyEncoder.Scratch();
        var poor = new ReplyEncoder(client, scratch, new Outbox(withoutMemory(), () -> 0));
        poor.begin();
        poor.status("lost");

        assertThatThrownBy(poor::end).isInstanceOf(OutOfMemoryError.class);

        var other = new ReplyEncoder(client, scratch, outbox);
        other.begin();
        other.status("PONG");
        other.end();
        outbox.releaseReady();
        channel.flush();
        ByteBuf written = channel.readOutbound();
        assertThat(written.toString(ISO_8859_1)).isEqualTo("+PONG\r\n");
        written.release();
    }

    private static EmbeddedChannel withoutMemory() {
        var channel = new EmbeddedChannel();
        channel.config().setAllocator((ByteBufAllocator) Proxy.newProxyInstance(
                ByteBufAllocator.class.getClassLoader(), new Class<?>[] {ByteBufAllocator.class}, (_, _, _) -> {
                    throw new OutOfMemoryError("made by a test");
                }));
        return channel;
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void unsigned_above63Bits_isABulkStringOfDigits(int protocol) {
        client.protocol(protocol);

        assertThat(encoded(reply -> reply.unsigned(Long.MAX_VALUE))).isEqualTo(":9223372036854775807\r\n");
        assertThat(encoded(reply -> reply.unsigned(Long.MIN_VALUE))).isEqualTo("$19\r\n9223372036854775808\r\n");
        assertThat(encoded(reply -> reply.unsigned(-1))).isEqualTo("$20\r\n18446744073709551615\r\n");
    }

    @Test
    void decimal_isOneOfTheProtocolsNumbersInVersion3Only() {
        assertThat(encoded(reply -> reply.decimal(0.98765))).isEqualTo("$6\r\n0.9877\r\n");

        client.protocol(3);

        assertThat(encoded(reply -> reply.decimal(0.98765))).isEqualTo(",0.9877\r\n");
    }

    @Test
    void error_withLineBreaks_isOneLine() {
        assertThat(encoded(reply -> reply.error("ERR a\r\nb\nc"))).isEqualTo("-ERR a  b c\r\n");
        assertThat(encoded(reply -> reply.error("ERR a\r\nb\r\n"))).isEqualTo("-ERR a  b\r\n");
        assertThat(encoded(reply -> reply.error("ERR \u00e4\r\n+OK"))).isEqualTo(latin1("-ERR \u00e4  +OK\r\n"));
        assertThat(encoded(reply -> reply.error("ERR \n" + "x".repeat(5000))))
                .isEqualTo("-ERR  " + "x".repeat(5000) + "\r\n");
    }

    @Test
    void status_withLineBreaks_isOneLine() {
        assertThat(encoded(reply -> reply.status("a\nb"))).isEqualTo("+a b\r\n");
    }

    @Test
    void numbers_ofAnySize_areTheirDecimalDigits() {
        Property.forAll(gen -> {
            long number = gen.anyLong();
            String signed = Long.toString(number);
            String unsigned = Long.toUnsignedString(number);

            assertThat(encoded(reply -> reply.integer(number))).isEqualTo(":" + signed + "\r\n");
            assertThat(encoded(reply -> reply.digits(number)))
                    .isEqualTo("$" + signed.length() + "\r\n" + signed + "\r\n");
            assertThat(encoded(reply -> reply.unsignedDigits(number)))
                    .isEqualTo("$" + unsigned.length() + "\r\n" + unsigned + "\r\n");
        });
    }

    @Test
    void encode_ofLongAndShortReplies_keepsTheirOrder() {
        Property.forAll(gen -> {
            StringBuilder expected = new StringBuilder();
            encoder.begin();
            gen.listOf(20, () -> gen.pick(0, 1, 100, 16_384, 16_385, 70_000)).forEach(length -> {
                String text = gen.pick("a", "b", "c").repeat(length);
                encoder.bulk(text);
                encoder.integer(length);
                expected.append('$').append(length).append("\r\n").append(text).append("\r\n:");
                expected.append(length).append("\r\n");
            });
            encoder.end();

            assertThat(outbox.bytes()).isEqualTo(expected.length());
            assertThat(sent()).isEqualTo(expected.toString());
        });
    }

    @Test
    void reply_outsideOfItsRequest_isRefused() {
        encoded(Reply::ok);

        assertThatThrownBy(encoder::ok).isInstanceOf(InvariantViolation.class);
        assertThatThrownBy(() -> encoder.bulk(new byte[100_000])).isInstanceOf(InvariantViolation.class);
    }

    @Test
    void write_ofMessage_isEncodedInThePipeline() {
        channel.writeOutbound(new IntegerRedisMessage(7));

        assertThat(sent()).isEqualTo(":7\r\n");
    }

    private String encoded(Consumer<Reply> replies) {
        encoder.begin();
        replies.accept(encoder);
        encoder.end();
        return sent();
    }

    private String sent() {
        outbox.releaseReady();
        channel.flushOutbound();
        StringBuilder text = new StringBuilder();
        for (ByteBuf piece = channel.readOutbound(); piece != null; piece = channel.readOutbound()) {
            text.append(piece.toString(ISO_8859_1));
            piece.release();
        }
        return text.toString();
    }

    /// The bytes of the text in UTF-8, each as a character.
    private static String latin1(String text) {
        return new String(text.getBytes(UTF_8), ISO_8859_1);
    }
}
