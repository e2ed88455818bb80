package io.tallis.resp;

import static io.tallis.resp.Decoding.bytes;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.tallis.testing.Property;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class OutboxTest {
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final AtomicLong written = new AtomicLong();
    private final Outbox outbox = new Outbox(channel, written::get);

    @AfterEach
    void close() {
        outbox.close();
        channel.finishAndReleaseAll();
    }

    @Test
    void release_ofATurn_keepsThoseOfLaterTurns() {
        append("a");
        outbox.seal(1);
        append("b");
        append("c");
        outbox.seal(3);
        append("d");

        outbox.release(2);

        assertThat(sent()).isEqualTo("a");
        assertThat(outbox.bytes()).isEqualTo(3);
    }

    @Test
    void release_afterASeal_keepsOpenPieces() {
        append("a");
        outbox.seal(1);
        append("b");

        outbox.release(1);

        assertThat(sent()).isEqualTo("a");
        outbox.release(Long.MAX_VALUE);
        assertThat(sent()).isEqualTo("b");
        assertThat(outbox.isDone()).isTrue();
    }

    @Test
    void append_beyondTheLimit_dropsAll() {
        outbox.limit(5);
        append("abc");

        append("defg");
        append("h");

        assertThat(outbox.isOverfull()).isTrue();
        assertThat(outbox.bytes()).isZero();
        outbox.release(Long.MAX_VALUE);
        assertThat(sent()).isEmpty();
    }

    @Test
    void settle_withoutAChange_releasesAll() {
        append("a");

        assertThat(outbox.releaseReady()).isEqualTo(1);

        assertThat(sent()).isEqualTo("a");
        assertThat(outbox.isUnconfirmed()).isFalse();
    }

    @Test
    void settle_beforeTheEndOfATurnWithAChange_releasesNothing() {
        outbox.awaitEndOfTurn();
        append("a");

        assertThat(outbox.releaseReady()).isZero();

        assertThat(sent()).isEmpty();
        assertThat(outbox.isDone()).isFalse();
    }

    @Test
    void settle_whileAnEarlierTurnIsNotWritten_makesLaterRepliesWaitForItToo() {
        assertThat(outbox.awaitEndOfTurn()).isTrue();
        assertThat(outbox.awaitEndOfTurn()).isFalse();
        append("a");
        outbox.turnEnded(1);
        append("b");

        assertThat(outbox.releaseReady()).isZero();
        assertThat(sent()).isEmpty();
        written.set(1);
        outbox.release(1);

        assertThat(sent()).isEqualTo("ab");
        assertThat(outbox.isUnconfirmed()).isFalse();
    }

    @Test
    void close_whilePiecesWait_releasesThem() {
        ByteBuf waiting = Unpooled.buffer().writeZero(10);
        ByteBuf late = Unpooled.buffer().writeZero(10);
        outbox.append(waiting);

        outbox.close();
        outbox.append(late);

        assertThat(waiting.refCnt()).isZero();
        assertThat(late.refCnt()).isZero();
    }

    @Test
    void anyHistory_ofTurns_sendsEachPieceInOrderAndNoneBeforeItsTurn() {
        Property.forAll(gen -> {
            Deque<String> expected = new ArrayDeque<>();
            long turn = 1;
            int number = 0;
            for (int step = 0; step < gen.between(1, 60); step++) {
                if (gen.chance(50)) {
                    String piece = turn + "-" + number++ + ";";
                    append(piece);
                    expected.add(piece);
                } else if (gen.chance(50)) {
                    outbox.seal(turn++);
                } else {
                    long written = gen.between(0L, turn - 1);
                    outbox.release(written);
                    StringBuilder due = new StringBuilder();
                    while (!expected.isEmpty() && Long.parseLong(expected.peek().split("-", -1)[0]) <= written) {
                        due.append(expected.remove());
                    }
                    assertThat(sent()).isEqualTo(due.toString());
                }
            }
            outbox.release(Long.MAX_VALUE);
            assertThat(sent()).isEqualTo(String.join("", expected));
        });
    }

    private void append(String text) {
        outbox.append(bytes(text), text.length());
    }

    private String sent() {
        channel.flushOutbound();
        StringBuilder text = new StringBuilder();
        for (ByteBuf piece = channel.readOutbound(); piece != null; piece = channel.readOutbound()) {
            text.append(piece.toString(ISO_8859_1));
            piece.release();
        }
        return text.toString();
    }
}
