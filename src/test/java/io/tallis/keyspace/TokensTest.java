package io.tallis.keyspace;

import static io.tallis.crdt.CounterType.PNCOUNT;
import static io.tallis.crdt.CounterType.TOKEN;
import static io.tallis.keyspace.Keyspaces.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Counters.Increment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// Increments that clients repeat with a token.
final class TokensTest {
    private static final long START = 1_000_000_000;
    private static final long WINDOW = 600_000;
    private static final long GRACE = 60_000;
    private static final byte[] TOKEN_1 = "p1".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] TOKEN_2 = "p2".getBytes(StandardCharsets.US_ASCII);

    private final Node node = new Node(1);
    private final Node other = new Node(2);

    @Test
    void increment_repeatedWithItsToken_countsOnce() {
        assertThat(node.add("a", 5, TOKEN_1)).isEqualTo(Increment.DONE);
        assertThat(node.add("a", 5, TOKEN_1)).isEqualTo(Increment.DONE);
        assertThat(node.counters.added()).isEqualTo(5);
        assertThat(node.counters.value()).isEqualTo(5);
        assertThat(node.add("a", 5, TOKEN_2)).isEqualTo(Increment.DONE);
        assertThat(node.add("b", 5, TOKEN_1)).isEqualTo(Increment.DONE);

        assertThat(node.value("a")).isEqualTo(10);
        assertThat(node.value("b")).isEqualTo(5);
        assertThat(node.keyspace.tokens().repeated()).isEqualTo(1);
        assertThat(node.keyspace.tokens().count()).isEqualTo(3);
    }

    @Test
    void step_repeatedWithItsToken_tellsWhatItAddedFirst() {
        Step step = new Step(7, 0, 10, true, false, false, false, Counters.KEEP);
        node.counters.add(key("a"), 6);
        node.counters.increment(key("a"), step, TOKEN_1);
        node.counters.add(key("a"), -8);

        assertThat(node.counters.increment(key("a"), step, TOKEN_1)).isEqualTo(Increment.DONE);
        assertThat(node.counters.added()).isEqualTo(4);
        assertThat(node.counters.value()).isEqualTo(2);
    }

    /// It is tried again, as it would be without a token.
    @Test
    void stepThatAddedNothing_leavesNoToken() {
        Step step = new Step(7, 0, 10, false, false, false, false, Counters.KEEP);
        node.counters.add(key("a"), 6);

        assertThat(node.counters.increment(key("a"), step, TOKEN_1)).isEqualTo(Increment.SKIPPED);
        node.counters.add(key("a"), -6);

        assertThat(node.counters.increment(key("a"), step, TOKEN_1)).isEqualTo(Increment.DONE);
        assertThat(node.value("a")).isEqualTo(7);
    }

    @Test
    void incrementThatIsRefused_leavesNoToken() {
        node.counters.add(key("a"), Long.MAX_VALUE);

        assertThat(node.add("a", 5, TOKEN_1)).isEqualTo(Increment.SKIPPED);
        node.counters.add(key("a"), -9);

        assertThat(node.add("a", 5, TOKEN_1)).isEqualTo(Increment.DONE);
        assertThat(node.value("a")).isEqualTo(Long.MAX_VALUE - 4);
    }

    @Test
    void token_isNoKey_andHasNoDeadlineThatReadersSee() {
        node.add("a", 5, TOKEN_1);

        assertThat(node.keyspace.cells()).isEqualTo(2);
        assertThat(node.keyspace.keys()).isEqualTo(1);
        assertThat(node.keyspace.dated()).isZero();
        assertThat(node.counters.deadline(key("a"))).isEqualTo(Life.NEVER);
    }

    @Test
    void token_afterTheWindow_isForgotten() {
        node.add("a", 5, TOKEN_1);

        node.time += WINDOW;
        node.add("a", 5, TOKEN_1);
        assertThat(node.value("a")).isEqualTo(5);

        node.time += WINDOW / 16;
        node.add("a", 5, TOKEN_1);
        assertThat(node.value("a")).isEqualTo(10);
        node.add("a", 5, TOKEN_1);
        assertThat(node.value("a")).isEqualTo(10);

        node.time += 2 * WINDOW + GRACE;
        node.sweep();
        assertThat(node.keyspace.cells()).isEqualTo(1);
        assertThat(node.keyspace.tokens().count()).isZero();
        assertThat(node.keyspace.expiry().ended()).isZero();
    }

    @Test
    void tokens_areLimited_butForThoseThatAreKnown() {
        node.keyspace.tokens().limit(WINDOW, 1);
        node.add("a", 5, TOKEN_1);

        assertThat(node.add("a", 5, TOKEN_2)).isEqualTo(Increment.TOO_MANY_TOKENS);
        assertThat(node.add("a", 5, TOKEN_1)).isEqualTo(Increment.DONE);
        assertThat(node.value("a")).isEqualTo(5);
    }

    /// The journal has both or neither.
    @Test
    void incrementAndToken_areOneGroupOfRows_andRecordedAgain() {
        node.add("a", 5, TOKEN_1);
        node.add("a", 5, TOKEN_1);

        assertThat(node.recorded).containsExactly("(", "PNCOUNT", "TOKEN", ")", "(", "TOKEN", "PNCOUNT", ")");
    }

    @Test
    void otherNode_thatHasTokenAndIncrement_countsOnce() {
        node.add("a", 5, TOKEN_1);
        other.takes("a", node);

        assertThat(other.add("a", 5, TOKEN_1)).isEqualTo(Increment.DONE);
        assertThat(other.counters.added()).isEqualTo(5);
        assertThat(other.value("a")).isEqualTo(5);
    }

    /// The node that made the increment may die before any other has it.
    @Test
    void otherNode_thatHasTheTokenOnly_doesNotSayThatItWasCounted() {
        node.counters.add(key("a"), 1);
        other.takes("a", node);
        node.add("a", 5, TOKEN_1);
        other.takesTokens(node);

        assertThat(other.add("a", 5, TOKEN_1)).isEqualTo(Increment.NOT_HERE);
        assertThat(other.value("a")).isEqualTo(1);

        other.takes("a", node);
        assertThat(other.add("a", 5, TOKEN_1)).isEqualTo(Increment.DONE);
        assertThat(other.value("a")).isEqualTo(6);
    }

    /// The session that made it has died, and no journal has it.
    @Test
    void incrementThatNoNodeHas_isMadeAgainWhenAllAreInReach() {
        node.add("a", 5, TOKEN_1);
        other.takesTokens(node);
        other.time += 11_000;
        other.keyspace.expiry().inReach(false);
        Increment outOfReach = other.add("a", 5, TOKEN_1);
        other.keyspace.expiry().inReach(true);

        assertThat(outOfReach).isEqualTo(Increment.NOT_HERE);
        assertThat(other.add("a", 5, TOKEN_1)).isEqualTo(Increment.DONE);
        assertThat(other.add("a", 5, TOKEN_1)).isEqualTo(Increment.DONE);
        assertThat(other.value("a")).isEqualTo(5);
    }

    /// Such a counter has ended since, and was dropped.
    @Test
    void otherNode_thatHasTheTokenForLong_saysThatItWasCounted() {
        node.add("a", 5, TOKEN_1);
        other.takesTokens(node);
        other.time += GRACE + 1;

        assertThat(other.add("a", 5, TOKEN_1)).isEqualTo(Increment.DONE);
        assertThat(other.counters.exists(key("a"))).isFalse();
    }

    @Test
    void token_ofADeletedCounter_revivesNothing() {
        node.add("a", 5, TOKEN_1);
        node.counters.delete(key("a"));

        assertThat(node.add("a", 5, TOKEN_1)).isEqualTo(Increment.DONE);
        assertThat(node.counters.exists(key("a"))).isFalse();
        assertThat(node.counters.value()).isZero();
    }

    @Test
    void token_ofAFoldedSession_isKnown() {
        node.add("a", 5, TOKEN_1);
        other.takes("a", node);
        other.takesTokens(node);
        List<ReplicaId> ended = List.of(node.keyspace.replicas().own(), new ReplicaId(7, 7));
        other.keyspace.folds().take(Fold.proposal(new UUID(1, 1), ended).made(1));
        for (int number = 0; number < Keyspace.PARTITIONS; number++) {
            other.keyspace.fold(number);
        }

        assertThat(other.add("a", 5, TOKEN_1)).isEqualTo(Increment.DONE);
        assertThat(other.value("a")).isEqualTo(5);
    }

    /// The hole that the documentation names.
    @Test
    void nodesThatDoNotHaveTheToken_countTwice() {
        node.add("a", 5, TOKEN_1);
        other.add("a", 5, TOKEN_1);
        other.takes("a", node);

        assertThat(other.value("a")).isEqualTo(10);
        assertThat(other.tokenValue()).isEqualTo(2);
        assertThat(other.keyspace.tokens().countedTwice()).isEqualTo(1);
    }

    private static final class Node {
        private long time = START;
        private final Keyspace keyspace;
        private final Counters counters;
        private final List<String> recorded = new ArrayList<>();

        Node(long id) {
            SplittableRandom random = new SplittableRandom(id);
            keyspace = new Keyspace(new Replicas(new ReplicaId(id, id)), random::nextLong, () -> time);
            counters = new Counters(keyspace, new ChangeLog() {
                @Override
                public void record(Key key, Cell counter, boolean whole) {
                    recorded.add(counter.type().name());
                }

                @Override
                public void beginGroup() {
                    recorded.add("(");
                }

                @Override
                public void endGroup() {
                    recorded.add(")");
                }
            });
        }

        Increment add(String name, long amount, byte[] token) {
            Increment done = counters.add(key(name), amount, token);
            KeyspaceAudit.check(keyspace);
            return done;
        }

        long value(String name) {
            counters.read(PNCOUNT, key(name));
            return counters.value();
        }

        long tokenValue() {
            long[] value = new long[1];
            keyspace.scan(0, 99, (type, _, cell) -> value[0] = type == TOKEN ? cell.value() : value[0]);
            return value[0];
        }

        void sweep() {
            Sweeper sweeper = new Sweeper(keyspace);
            sweeper.run();
            sweeper.run();
            KeyspaceAudit.check(keyspace);
        }

        void takes(String name, Node from) {
            takesTokens(from);
            from.keyspace.scan(0, 99, (type, key, cell) -> {
                if (type == PNCOUNT && Keyspaces.text(key).equals(name)) {
                    takes(type, key, cell, from);
                }
            });
        }

        void takesTokens(Node from) {
            from.keyspace.scan(0, 99, (type, key, cell) -> {
                if (type == TOKEN) {
                    takes(type, key, cell, from);
                }
            });
        }

        private void takes(CounterType type, Key key, Cell cell, Node from) {
            Cell copy = Keyspaces.translated(cell, from.keyspace.replicas(), keyspace.replicas());
            new Merges(keyspace, counters.log()).merge(Key.of(type, key.toByteArray()), copy);
            KeyspaceAudit.check(keyspace);
        }
    }
}
