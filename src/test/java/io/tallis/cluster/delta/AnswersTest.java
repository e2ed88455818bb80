package io.tallis.cluster.delta;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.Frame.BadFrameException;
import io.tallis.cluster.frame.Pace;
import io.tallis.cluster.frame.Sender;
import io.tallis.cluster.frame.Transport;
import io.tallis.crdt.Cell;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.OwnChanges;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Few changes among more counters than one step visits.
final class AnswersTest {
    private static final ReplicaId SELF = new ReplicaId(1, 1);
    private static final ReplicaId PEER = new ReplicaId(2, 2);
    private static final ReplicaId OTHER = new ReplicaId(3, 3);
    private static final ReplicaId EVERYBODY = new ReplicaId(0, 0);
    private static final int COUNTERS = 500_000;
    private static final int CHANGED_EACH = 250;
    private static final int CHANGED = COUNTERS / CHANGED_EACH;
    private static final long OLD_FRAME = 1;
    private static final long NEW_FRAME = 100;
    private static final long LATER = TimeUnit.SECONDS.toNanos(1);

    private final Keyspace keyspace = new Keyspace(new Replicas(SELF), () -> 5, () -> 1_000_000);
    private final OwnChanges changes = keyspace.ownChanges();
    private final Counters clients = new Counters(keyspace, ChangeLog.NONE);
    private final List<Sent> sent = new ArrayList<>();
    private final Sender sender = new Sender(new Wire(), SELF);
    private final Answers answers =
            new Answers(changes, sender, new Entries(keyspace.replicas()), new Pace(1L << 40, 1L << 40), _ -> true);

    @BeforeEach
    void changeFewOfMany() {
        changes.track();
        add(1);
        drain(OLD_FRAME);
        add(CHANGED_EACH);
        drain(NEW_FRAME);
    }

    @Test
    void answer_ofFewChangesAmongMany_isOnePieceThatTakesSeveralSteps() throws Exception {
        ask(PEER, NEW_FRAME / 2);
        long head = sender.head();

        answers.step(LATER);
        assertThat(sent).isEmpty();
        sender.nextHead();
        finish();

        // A cell that changed meanwhile may be behind the cursor, so the answer must not claim to contain it.
        assertThat(sent).containsExactly(new Sent(PEER, NEW_FRAME / 2, head, true, CHANGED));
    }

    @Test
    void piece_askedForAgainWhileItIsCollected_isSentOnce() throws Exception {
        ask(PEER, NEW_FRAME / 2, 8);
        answers.step(LATER);
        ask(PEER, NEW_FRAME / 2, 7);

        finish();

        assertThat(sent).hasSize(1);
    }

    @Test
    void piece_forSeveralRequesters_isMulticastAndMarkedLast() throws Exception {
        ask(PEER, NEW_FRAME / 2);
        ask(OTHER, NEW_FRAME / 2);

        finish();

        assertThat(sent).hasSize(1);
        assertThat(sent.getFirst().to()).isEqualTo(EVERYBODY);
        assertThat(sent.getFirst().complete()).isFalse();
    }

    @Test
    void piece_forARequesterThatBecomesUnreachable_isDroppedAndTheNextGetsAll() throws Exception {
        ask(PEER, NEW_FRAME / 2);
        answers.step(LATER);
        ask(OTHER, NEW_FRAME / 2);
        answers.unreachable(PEER);

        finish();

        assertThat(sent).containsExactly(new Sent(OTHER, NEW_FRAME / 2, sender.head(), true, CHANGED));
    }

    @Test
    void piece_forARequesterThatAskedForSomethingElse_isNotItsAnswer() throws Exception {
        ask(PEER, NEW_FRAME / 2);
        answers.step(LATER);
        ask(PEER, NEW_FRAME / 2 + 1);

        finish();

        assertThat(sent)
                .containsExactly(
                        new Sent(PEER, NEW_FRAME / 2, sender.head(), true, CHANGED),
                        new Sent(PEER, NEW_FRAME / 2 + 1, sender.head(), true, CHANGED));
    }

    private void add(int each) {
        for (int i = 0; i < COUNTERS; i += each) {
            clients.add(Key.of(("key:" + i).getBytes(StandardCharsets.UTF_8)), 1);
        }
    }

    private void drain(long frame) {
        changes.drain(COUNTERS, (_, _, _) -> frame);
    }

    private void ask(ReplicaId from, long since) throws MalformedException {
        ask(from, since, 8);
    }

    private void ask(ReplicaId from, long since, int pieces) throws MalformedException {
        ask(from, since, pieces, 0);
    }

    private void ask(ReplicaId from, long since, int pieces, long now) throws MalformedException {
        ByteWriter out = new ByteWriter(32);
        out.varint(since);
        out.i64(0);
        out.u8(pieces);
        answers.onAsk(from, new ByteReader().on(out.array(), 0, out.position()), now);
    }

    private void finish() {
        finish(LATER);
    }

    private void finish(long now) {
        for (int steps = 0; answers.nextDue(now) == now; steps++) {
            assertThat(steps).isLessThan(100);
            answers.step(now);
        }
    }

    /// A piece of an answer: up to which frame it goes, whether it is the last, and how many cells it has.
    private record Sent(ReplicaId to, long since, long upTo, boolean complete, int cells) {}

    private final class Wire implements Transport {
        @Override
        public void multicast(byte[] frame) {
            send(EVERYBODY, frame);
        }

        @Override
        public void send(ReplicaId to, byte[] frame) {
            try {
                ByteReader in = Frame.read(frame, Frame.OLDEST_VERSION).body();
                long since = in.varint();
                in.skip(Long.BYTES);
                boolean complete = in.i64() == 0;
                long upTo = in.i64();
                in.skip(1);
                sent.add(new Sent(to, since, upTo, complete, cells(in)));
            } catch (BadFrameException | MalformedException e) {
                throw new AssertionError(e);
            }
        }

        private int cells(ByteReader in) throws MalformedException {
            CellCodec codec = new CellCodec(keyspace.replicas());
            int cells = 0;
            for (; in.remaining() > 0; cells++) {
                codec.decode(in, codec.decodeKey(in), Replicas.OWN, new Cell());
            }
            return cells;
        }

        @Override
        public void sendUnreliably(ReplicaId to, byte[] frame) {
            throw new AssertionError("answers are sent");
        }
    }
}
