package io.tallis.keyspace;

import static io.tallis.crdt.CounterType.GCOUNT;
import static io.tallis.crdt.CounterType.PNCOUNT;
import static io.tallis.keyspace.Keyspaces.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Counters.Increment;
import io.tallis.testing.Property;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// Keys with a limited rate, on one node and on several, by a clock that the test sets.
final class AdmissionTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long START = 1_700_000_000_000L;

    private long time = START;
    private final Node node = new Node(1);
    private final Node peer = new Node(2);

    // One node

    @Test
    void anyRequests_areAdmittedAsByAReference() {
        Property.forAll(gen -> {
            time = START;
            Node limiter = new Node(gen.anyLong());
            Map<String, Long> reference = new HashMap<>();
            for (int step = 0; step < 100; step++) {
                time += gen.pick(0, 0, 1, 1, 7, 50, 1_000, 100_000);
                String name = "key:" + gen.between(0, 3);
                long interval = gen.pick(1L, 333_333L, MILLI, 7 * MILLI + 1, 1_000 * MILLI);
                long burst = interval * gen.between(1, 9);
                long cost = interval * gen.pick(0, 1, 1, 1, 2, 5);
                long now = time * MILLI;
                long moment = Math.max(now, reference.getOrDefault(name, 0L)) + cost;
                boolean fits = moment - burst <= now;

                assertThat(limiter.counters.admit(key(name), cost, burst))
                        .isEqualTo(fits ? Increment.DONE : Increment.SKIPPED);

                if (fits) {
                    reference.put(name, moment);
                }
                long debt = Math.max(0, reference.getOrDefault(name, 0L) - now);
                assertThat(limiter.counters.debt()).isEqualTo(debt);
                assertThat(limiter.counters.debtEnds()).isGreaterThanOrEqualTo(debt);
                if (gen.chance(20)) {
                    limiter.sweep();
                }
            }
            time += 10_000_000;
            limiter.sweep();
            assertThat(limiter.keyspace.cells()).isZero();
        });
    }

    @Test
    void peek_changesNothing() {
        assertThat(node.counters.admit(key("a"), 0, 10)).isEqualTo(Increment.DONE);
        assertThat(node.keyspace.cells()).isZero();

        node.counters.admit(key("a"), 5 * MILLI, 10 * MILLI);
        long changes = node.counters.changes();

        assertThat(node.counters.admit(key("a"), 0, 10 * MILLI)).isEqualTo(Increment.DONE);
        assertThat(node.counters.admit(key("a"), 0, 4 * MILLI)).isEqualTo(Increment.SKIPPED);
        assertThat(node.counters.debt()).isEqualTo(5 * MILLI);
        assertThat(node.counters.changes()).isEqualTo(changes);
    }

    @Test
    void refusal_changesNothing() {
        node.counters.admit(key("a"), 10 * MILLI, 10 * MILLI);
        long changes = node.counters.changes();

        assertThat(node.counters.admit(key("a"), 1, 10 * MILLI)).isEqualTo(Increment.SKIPPED);
        assertThat(node.counters.admit(key("b"), Long.MAX_VALUE, 10 * MILLI)).isEqualTo(Increment.SKIPPED);
        assertThat(node.counters.changes()).isEqualTo(changes);
    }

    @Test
    void keyWithTextOrAGcount_isRefusedUnchanged() {
        byte[] text = {'x'};
        node.counters.set(key("text"), text, 0, 1, START + 1_000);
        node.counters.grow(key("count"), 7);
        long changes = node.counters.changes();

        assertThat(node.counters.admit(key("text"), 1, 10)).isEqualTo(Increment.NO_NUMBER);
        assertThat(node.counters.admit(key("count"), 1, 10)).isEqualTo(Increment.WRONG_TYPE);

        assertThat(node.counters.changes()).isEqualTo(changes);
        assertThat(node.counters.read(GCOUNT, key("count"))).isTrue();
        assertThat(node.counters.value()).isEqualTo(7);
        time += 1_000;
        assertThat(node.counters.admit(key("text"), 1, 10)).isEqualTo(Increment.DONE);
    }

    @Test
    void keyOfALargeNumber_isRefused() {
        node.counters.assign(key("a"), Long.MAX_VALUE, START + 1_000);

        assertThat(node.counters.admit(key("a"), 1, 10)).isEqualTo(Increment.SKIPPED);
        assertThat(node.counters.debtEnds()).isEqualTo(1_000 * MILLI);

        time += 1_000;
        assertThat(node.counters.admit(key("a"), 1, 10)).isEqualTo(Increment.DONE);
    }

    @Test
    void key_isKeptForFourTimesItsDebt() {
        node.counters.admit(key("a"), 100 * MILLI, 1_000 * MILLI);

        assertThat(node.counters.deadline(key("a"))).isEqualTo(START + 4 * 100 + 1_000);

        time += 150;
        node.counters.admit(key("a"), 1 * MILLI, 1_000 * MILLI);
        assertThat(node.counters.deadline(key("a"))).isEqualTo(START + 4 * 100 + 1_000);
    }

    // Several nodes

    @Test
    void nodesThatHearOfEachRequest_decideAsOne() {
        Property.forAll(gen -> {
            time = START;
            List<Node> nodes = List.of(new Node(1), new Node(2), new Node(3));
            long interval = gen.between(1, 9) * MILLI;
            long burst = interval * gen.between(1, 6);
            long reference = 0;
            for (int step = 0; step < 40; step++) {
                time += gen.pick(0, 0, 1, 2, 9, 45, 200);
                long moment = Math.max(time * MILLI, reference) + interval;
                boolean fits = moment - burst <= time * MILLI;
                Node asked = nodes.get(gen.between(0, 2));

                assertThat(asked.admits(interval, burst)).isEqualTo(fits);

                reference = fits ? moment : reference;
                nodes.forEach(each -> each.takes(asked));
            }
        });
    }

    @Test
    void burstsOfTwoNodesAtOnce_addUp() {
        long burst = 100 * MILLI;
        assertThat(node.admitsUpTo(10, 10 * MILLI, burst)).isEqualTo(10);
        assertThat(peer.admitsUpTo(10, 10 * MILLI, burst)).isEqualTo(10);

        node.takes(peer);
        peer.takes(node);

        time += 109;
        assertThat(node.admits(10 * MILLI, burst)).isFalse();
        assertThat(peer.counters.admit(key("a"), 0, 2 * burst)).isEqualTo(Increment.DONE);
        assertThat(peer.counters.debt()).isEqualTo(node.counters.debt()).isEqualTo(91 * MILLI);
        time += 1;
        assertThat(node.admits(10 * MILLI, burst)).isTrue();
    }

    /// The worst that clients can do: to ask all nodes all the time. What is admitted too much at first is not admitted
    /// later. If it were worked off sooner than the others hear of it, the nodes would be as if cut off.
    @Test
    void nodesThatHearOfEachOtherLate_admitNoMoreThanTheFormula() {
        Property.forAll(gen -> {
            time = START;
            int count = gen.between(2, 4);
            List<Node> nodes =
                    List.of(new Node(1), new Node(2), new Node(3), new Node(4)).subList(0, count);
            long interval = gen.between(5, 20) * MILLI;
            int limit = gen.between(1, 5);
            int lag = gen.between(1, 5);
            int asks = gen.between(1, 100);
            int ticks = 150;
            int admitted = 0;
            for (int tick = 0; tick < ticks; tick++) {
                time++;
                for (Node each : nodes) {
                    admitted += gen.chance(asks) && each.admits(interval, limit * interval) ? 1 : 0;
                }
                if (tick % lag == 0) {
                    nodes.forEach(each -> nodes.forEach(each::takes));
                }
            }

            int perNode = limit + (int) Math.ceilDiv(lag * MILLI, interval);
            assertThat(admitted).isLessThanOrEqualTo(limit + (int) (ticks * MILLI / interval) + (count - 1) * perNode);
        });
    }

    @Test
    void partition_admitsTheLimitOnEachSideAndRefusesForFourBurstsAtMost() {
        long interval = 10 * MILLI;
        long burst = 10 * interval;
        int north = 0;
        int south = 0;
        for (int tick = 0; tick < 5_000; tick++) {
            time++;
            north += node.admits(interval, burst) ? 1 : 0;
            south += peer.admits(interval, burst) ? 1 : 0;
        }
        assertThat(north).isEqualTo(south).isEqualTo(10 + 4_999 / 10);

        node.takes(peer);
        peer.takes(node);

        assertThat(node.admits(interval, burst)).isFalse();
        long wait = node.counters.debtEnds();
        assertThat(wait).isBetween(4 * burst, 4 * burst + 1_000 * MILLI);
        time += wait / MILLI;
        assertThat(node.admits(interval, burst)).isTrue();
        assertThat(peer.admits(interval, burst)).isTrue();
    }

    // Clocks

    @Test
    void nodeThatIsAhead_isFirstToSeeRoomAndKeepsToTheRate() {
        long interval = 10 * MILLI;
        peer.ahead = 30;
        int here = 0;
        int there = 0;
        for (int tick = 0; tick < 1_000; tick++) {
            time++;
            there += peer.admits(interval, 10 * interval) ? 1 : 0;
            node.takes(peer);
            here += node.admits(interval, 10 * interval) ? 1 : 0;
            peer.takes(node);
        }

        assertThat(here + there).isBetween(109, 113);
        assertThat(here).isLessThan(5);
    }

    @Test
    void windowOnANodeThatIsAhead_endsForTheOthersWithItsNextRequest() {
        peer.ahead = 30;
        assertThat(node.countsInWindow(100)).isEqualTo(1);
        assertThat(node.countsInWindow(100)).isEqualTo(2);
        peer.takes(node);
        assertThat(node.countsInWindow(100)).isEqualTo(3);
        time += 80;

        assertThat(peer.countsInWindow(100)).isEqualTo(1);
        node.takes(peer);

        // The third had not arrived when the window ended.
        assertThat(node.countsInWindow(100)).isEqualTo(3);
        peer.takes(node);
        assertThat(peer.countsInWindow(100)).isEqualTo(4);
        assertThat(node.counters.deadline(key("a"))).isEqualTo(START + 80 + 30 + 100);
    }

    private final class Node {
        private long ahead;
        private final Keyspace keyspace;
        private final Counters counters;

        Node(long id) {
            SplittableRandom random = new SplittableRandom(id);
            keyspace = new Keyspace(new Replicas(new ReplicaId(id, id)), random::nextLong, () -> time + ahead);
            counters = new Counters(keyspace, ChangeLog.NONE);
        }

        void sweep() {
            new Sweeper(keyspace).run();
            KeyspaceAudit.check(keyspace);
        }

        boolean admits(long cost, long burst) {
            return counters.admit(key("a"), cost, burst) == Increment.DONE;
        }

        int admitsUpTo(int requests, long cost, long burst) {
            int admitted = 0;
            for (int i = 0; i < requests; i++) {
                admitted += admits(cost, burst) ? 1 : 0;
            }
            return admitted;
        }

        long countsInWindow(long millis) {
            Step step = new Step(1, Long.MIN_VALUE, Long.MAX_VALUE, false, false, false, true, time + ahead + millis);
            assertThat(counters.increment(key("a"), step)).isEqualTo(Increment.DONE);
            return counters.value();
        }

        void takes(Node from) {
            if (from == this) {
                return;
            }
            Cell copy = Keyspaces.translated(from.stored(), from.keyspace.replicas(), keyspace.replicas());
            new Merges(keyspace, ChangeLog.NONE).merge(key("a"), copy);
        }

        private Cell stored() {
            Cell cell = new Cell();
            Key key = key("a");
            keyspace.partition(keyspace.partitionOf(key)).read(PNCOUNT, key, cell);
            return cell;
        }
    }
}
