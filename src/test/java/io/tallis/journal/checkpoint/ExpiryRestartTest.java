package io.tallis.journal.checkpoint;

import static io.tallis.crdt.CounterType.PNCOUNT;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Life;
import io.tallis.journal.log.FsyncPolicy;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Sweeper;
import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What a start finds of counters with deadlines: journal and database have cells from before their end, before it was
/// put off, and before their key was used again.
final class ExpiryRestartTest {
    private static final long MINUTE = 60_000;
    private static final long HOUR = 60 * MINUTE;

    private Node node;

    @BeforeEach
    void start() throws IOException {
        node = new Node(new Gen(7));
    }

    @Test
    void counter_thatEndedLongAgo_staysEnded() throws IOException {
        node.add("a", 5);
        node.expireIn("a", MINUTE);
        node.pass(HOUR);

        node.restart();

        assertThat(node.exists("a")).isFalse();
    }

    @Test
    void counter_thatWasDroppedFromTheDatabase_staysEnded() throws IOException {
        node.add("a", 5);
        node.expireIn("a", MINUTE);
        node.process.checkpoint();
        node.pass(HOUR);
        node.sweep();
        assertThat(node.hasCell("a")).isFalse();
        node.process.checkpoint();

        node.restart();

        assertThat(node.hasCell("a")).isFalse();
    }

    /// A checkpoint has the first deadline, the journal the second.
    @Test
    void counter_whoseDeadlineWasPutOff_keepsItsCounts() throws IOException {
        node.add("a", 5);
        node.expireIn("a", HOUR);
        node.restart();
        node.process.checkpoint();
        node.pass(50 * MINUTE);
        node.add("a", 1);
        node.expireIn("a", HOUR);
        node.pass(20 * MINUTE);
        assertThat(node.value("a")).isEqualTo(6);

        node.restart();

        assertThat(node.exists("a")).isTrue();
        assertThat(node.value("a")).isEqualTo(6);
    }

    @Test
    void counter_whoseDeadlineWasTakenAway_keepsItsCounts() throws IOException {
        node.add("a", 5);
        node.expireIn("a", MINUTE);
        node.restart();
        node.process.checkpoint();
        node.persist("a");
        node.pass(HOUR);

        node.restart();

        assertThat(node.exists("a")).isTrue();
        assertThat(node.value("a")).isEqualTo(5);
    }

    @Test
    void key_thatIsUsedAgainAfterTheEnd_hasTheNewCounts() throws IOException {
        node.add("a", 5);
        node.expireIn("a", MINUTE);
        node.pass(MINUTE);
        node.add("a", 2);
        node.pass(HOUR);

        node.restart();

        assertThat(node.exists("a")).isTrue();
        assertThat(node.value("a")).isEqualTo(2);
    }

    @Test
    void key_thatIsUsedAgainAfterTheDrop_hasTheNewCounts() throws IOException {
        node.add("a", 5);
        node.expireIn("a", MINUTE);
        node.pass(HOUR);
        node.sweep();
        assertThat(node.hasCell("a")).isFalse();
        node.add("a", 2);

        node.restart();

        assertThat(node.exists("a")).isTrue();
        assertThat(node.value("a")).isEqualTo(2);
    }

    @Test
    void key_thatIsUsedAgainWithADeadlineAfterTheDrop_hasTheNewCounts() throws IOException {
        node.add("a", 5);
        node.expireIn("a", MINUTE);
        node.pass(HOUR);
        node.sweep();
        node.add("a", 2);
        node.expireIn("a", HOUR);
        node.pass(MINUTE);

        node.restart();

        assertThat(node.exists("a")).isTrue();
        assertThat(node.value("a")).isEqualTo(2);
        node.pass(HOUR);
        assertThat(node.exists("a")).isFalse();
    }

    @Test
    void anyHistory_withRestarts_agreesWithANaiveModel() {
        Property.forAll(gen -> {
            Node node = new Node(gen);
            Map<String, Long> values = new HashMap<>();
            Map<String, Long> deadlines = new HashMap<>();
            for (int step = 0; step < 60; step++) {
                String name = "x" + gen.between(1, 3);
                boolean existed = values.containsKey(name);
                switch (gen.between(0, 11)) {
                    case 0 -> {
                        assertThat(node.delete(name)).isEqualTo(existed);
                        values.remove(name);
                        deadlines.remove(name);
                    }
                    case 1, 2 -> {
                        if (existed) {
                            long millis = gen.between(1, 3 * MINUTE);
                            deadlines.put(name, node.expireIn(name, millis));
                        }
                    }
                    case 3 -> {
                        if (deadlines.containsKey(name)) {
                            node.persist(name);
                            deadlines.remove(name);
                        }
                    }
                    case 4 -> {
                        node.assign(name, step);
                        values.put(name, (long) step);
                        deadlines.remove(name);
                    }
                    case 5 -> node.sweep();
                    case 6, 7 -> node.pass(gen.pick(1_000L, MINUTE, 5 * MINUTE));
                    case 8 -> node.process.checkpoint();
                    case 9 -> node.restart();
                    default -> {
                        long amount = gen.between(1, 5);
                        node.add(name, amount);
                        values.merge(name, amount, Long::sum);
                    }
                }
                deadlines.forEach((ended, deadline) -> {
                    if (deadline <= node.process.epochMillis()) {
                        values.remove(ended);
                    }
                });
                deadlines.keySet().retainAll(values.keySet());
                for (String each : new String[] {"x1", "x2", "x3"}) {
                    assertThat(node.exists(each)).as(each).isEqualTo(values.containsKey(each));
                    if (values.containsKey(each)) {
                        assertThat(node.value(each)).as(each).isEqualTo(values.get(each));
                    }
                }
            }
        });
    }

    private static final class Node {
        private final Gen gen;
        private final SimulatedMachine machine = new SimulatedMachine();
        private SimulatedProcess process;

        Node(Gen gen) throws IOException {
            this.gen = gen;
            restart();
        }

        /// The process is killed, and another starts.
        void restart() throws IOException {
            process = new SimulatedProcess(machine, FsyncPolicy.ALWAYS, new Ledger(), gen);
        }

        boolean hasCell(String name) {
            return counters().capacity().hasCell(PNCOUNT, key(name));
        }

        void pass(long millis) {
            machine.clock.advance(Duration.ofMillis(millis));
        }

        void sweep() {
            new Sweeper(process.keyspace).run();
        }

        private Counters counters() {
            return process.loops.getFirst().counters;
        }

        void add(String name, long amount) {
            assertThat(counters().add(key(name), amount)).isTrue();
            write();
        }

        void assign(String name, long number) {
            counters().assign(key(name), number, Life.NEVER);
            write();
        }

        boolean delete(String name) {
            boolean deleted = counters().delete(key(name));
            write();
            return deleted;
        }

        /// Returns the deadline.
        long expireIn(String name, long millis) {
            long deadline = process.epochMillis() + millis;
            assertThat(counters().expireAt(PNCOUNT, key(name), deadline)).isTrue();
            write();
            return deadline;
        }

        void persist(String name) {
            assertThat(counters().expireAt(PNCOUNT, key(name), Life.NEVER)).isTrue();
            write();
        }

        boolean exists(String name) {
            return counters().read(PNCOUNT, key(name));
        }

        long value(String name) {
            return process.value(name);
        }

        private void write() {
            process.loops.getFirst().commit();
            process.step();
        }

        private static Key key(String name) {
            return Key.of(name.getBytes(StandardCharsets.US_ASCII));
        }
    }
}
