package io.tallis.keyspace;

import static io.tallis.crdt.CounterType.FIELD;
import static io.tallis.keyspace.Keyspaces.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.delta.Entries;
import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What three nodes do with one key and its deadlines, which send each other what they change, late and out of step,
/// restart from what they have, and whose clocks are set back: once nobody changes anything they come to rest and
/// agree.
final class HistoriesLawsTest {
    private static final long START = 1_000_000;
    private static final int STEPS = 30;

    /// Answers to answers are short. What is longer than this does not end by itself.
    private static final int ROUNDS = 40;

    private final List<Node> nodes = new ArrayList<>();
    private long time;

    @BeforeEach
    void begin() {
        time = START;
        nodes.clear();
        for (int id = 1; id <= 3; id++) {
            nodes.add(new Node(id));
        }
    }

    @Test
    void counter_anyHistory_comesToRest() {
        Property.forAll(gen -> anyHistory(gen, node -> node.counters.add(key("a"), gen.between(1, 3))));
    }

    @Test
    void register_anyHistory_comesToRest() {
        byte[] text = "text".getBytes(StandardCharsets.ISO_8859_1);
        Property.forAll(gen -> anyHistory(gen, node -> {
            switch (gen.between(0, 2)) {
                case 0 -> node.counters.add(key("a"), 1);
                case 1 -> node.counters.assign(key("a"), 7, Counters.KEEP);
                default -> node.counters.assign(key("a"), text, 0, text.length, Counters.KEEP);
            }
        }));
    }

    @Test
    void hash_anyHistory_comesToRest() {
        Property.forAll(gen -> anyHistory(gen, node -> {
            byte[] field = {(byte) gen.between('f', 'h')};
            node.counters.hashes().increment(key("a"), field, 0, 1, gen.between(1, 3));
        }));
    }

    /// The first node has what a session before it had counted, and no reset.
    @Test
    void counterThatLivesOnByAnotherShard_besideAnEndedRegister_comesToRest() {
        nodes.get(0).counters.add(key("a"), 2);
        nodes.get(0).restart();
        nodes.get(1).counters.assign(key("a"), 7, START + 10);
        nodes.get(1).send();
        time = START + 10;
        nodes.get(1).sweeper.run();

        comeToRest();

        assertThat(nodes).allSatisfy(node -> assertThat(node.value()).isEqualTo(2));
    }

    private interface Change {
        void make(Node node);
    }

    private void anyHistory(Gen gen, Change change) {
        begin();
        for (int step = 0; step < STEPS; step++) {
            Node node = gen.pick(nodes.get(0), nodes.get(1), nodes.get(2));
            switch (gen.between(0, 13)) {
                case 0, 1 -> change.make(node);
                case 2, 3 -> node.expireAt(time + gen.between(1, 40));
                case 4 -> node.counters.persist(key("a"));
                case 5 -> node.counters.delete(key("a"));
                case 6, 7 -> node.send();
                case 8 -> node.sweeper.run();
                case 9 -> time += gen.between(1, 30);
                case 10 -> node.behind = gen.pick(0L, 0L, 5L, 40L);
                case 11 -> node.restart();
                default -> node.receiveOne();
            }
            KeyspaceAudit.check(node.keyspace);
        }
        comeToRest();
        nodes.forEach(node -> node.behind = 0);
        comeToRest();
        pullAll();
        byte[] digest = nodes.get(0).digest();
        nodes.forEach(node -> {
            KeyspaceAudit.check(node.keyspace);
            assertThat(node.digest()).isEqualTo(digest);
        });
    }

    private void comeToRest() {
        boolean isQuiet = false;
        for (int round = 0; !isQuiet; round++) {
            assertThat(round).as("rounds until nothing is sent any more").isLessThan(ROUNDS);
            isQuiet = true;
            for (Node node : nodes) {
                while (node.receiveOne()) {
                    isQuiet = false;
                }
                isQuiet &= !node.send();
            }
        }
    }

    private void pullAll() {
        for (int round = 0; round < nodes.size(); round++) {
            nodes.forEach(
                    node -> nodes.stream().filter(other -> !other.equals(node)).forEach(node::pull));
        }
    }

    private record Message(ByteWriter entry, ReplicaId sender) {}

    private record Row(Key key, Cell cell) {}

    private final class Node {
        private final long id;
        private final Deque<Message> inbox = new ArrayDeque<>();
        private int sessions;
        private long behind;

        private Keyspace keyspace;
        private Counters counters;
        private Sweeper sweeper;

        Node(long id) {
            this.id = id;
            beginSession();
        }

        private void beginSession() {
            ReplicaId session = new ReplicaId(id, ++sessions);
            keyspace = new Keyspace(new Replicas(session), () -> id, () -> time - behind);
            keyspace.ownChanges().track();
            counters = new Counters(keyspace, ChangeLog.NONE);
            sweeper = new Sweeper(keyspace);
        }

        /// What was not sent is lost, and all else is on the disk.
        void restart() {
            List<Row> rows = rows();
            Replicas numbers = keyspace.replicas();
            beginSession();
            Merges merges = new Merges(keyspace, ChangeLog.NONE);
            rows.forEach(row -> merges.restore(row.key, Keyspaces.translated(row.cell, numbers, keyspace.replicas())));
        }

        List<Row> rows() {
            List<Row> rows = new ArrayList<>();
            int partition = keyspace.partitionOf(key("a"));
            keyspace.walkAll(partition, CellWalk.of((_, key, cell) -> {
                Cell copy = new Cell();
                copy.copyFrom(cell);
                rows.add(new Row(keyOf(cell.type(), key.toByteArray()), copy));
            }));
            return rows;
        }

        private static Key keyOf(CounterType type, byte[] name) {
            return type == FIELD ? Key.of(FIELD, name) : Key.of(name);
        }

        void expireAt(long deadline) {
            boolean _ = counters.expireAt(key("a"), deadline, (_, _) -> true);
        }

        long value() {
            return counters.readAny(key("a")) == null ? 0 : counters.value();
        }

        /// Sends what was changed. Returns whether there was anything.
        boolean send() {
            int sent = keyspace.ownChanges().drain(100, (type, key, cell) -> {
                ByteWriter out = new ByteWriter(64);
                new Entries(keyspace.replicas()).own(type, key, cell, out);
                Message message = new Message(out, keyspace.replicas().id(Replicas.OWN));
                nodes.stream().filter(node -> !node.equals(this)).forEach(node -> node.inbox.add(message));
                return 1;
            });
            return sent > 0;
        }

        /// Returns whether there was anything.
        boolean receiveOne() {
            Message message = inbox.poll();
            if (message != null) {
                receive(message);
            }
            return message != null;
        }

        private void receive(Message message) {
            try {
                CellCodec codec = new CellCodec(keyspace.replicas());
                ByteReader in = ByteReader.of(message.entry.toByteArray());
                CounterType type = codec.decodeKey(in);
                byte[] name = Arrays.copyOfRange(in.array(), codec.keyOffset(), codec.keyOffset() + codec.keyLength());
                int sender = keyspace.replicas().numberOf(message.sender);
                Cell cell = new Cell();
                codec.decode(in, type, sender, cell);
                new Merges(keyspace, ChangeLog.NONE).merge(keyOf(type, name), cell, sender);
            } catch (MalformedException e) {
                throw new AssertionError(e);
            }
        }

        void pull(Node from) {
            Merges merges = new Merges(keyspace, ChangeLog.NONE);
            from.rows()
                    .forEach(row -> merges.merge(
                            row.key, Keyspaces.translated(row.cell, from.keyspace.replicas(), keyspace.replicas())));
        }

        byte[] digest() {
            return PartitionDigest.leaves(keyspace, keyspace.partitionOf(key("a")), 0, new ReplicaId(9, 9));
        }
    }
}
