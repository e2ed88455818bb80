package io.tallis.keyspace;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Ranking.Direction;
import io.tallis.keyspace.Ranking.Slice;
import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The order of the fields of hashes, after changes by clients, by merges and by time, against a list that is sorted.
final class RankingLawsTest {
    private static final int STEPS = 50;

    /// Two names in one partition.
    private static final List<String> NAMES = Keyspaces.namesIn(5, 2);

    private static final List<String> NO_NUMBERS = List.of("x", "", "1e", "--1", ".", "1.7976931348623157e308");

    private static final List<String> TEXTS = Stream.concat(
                    NO_NUMBERS.stream(), Stream.of("0.50", "-0", "1e-300", "-1e-300", "2251799813685248.5", "+7"))
            .toList();

    private int kept;
    private int halfCovered;
    private int ended;

    @Test
    void order_afterAnyChanges_isThatOfAListThatIsSorted() {
        Property.forAll(gen -> {
            Tried tried = new Tried(gen);
            for (int step = 0; step < STEPS; step++) {
                tried.act();
                if (gen.chance(8)) {
                    tried.check(gen.pick(NAMES));
                }
            }
            NAMES.forEach(tried::check);
            KeyspaceAudit.check(tried.here.keyspace);
            kept += tried.hasOrders() ? 1 : 0;
            halfCovered += tried.halfCovered;
            ended += tried.ended;
        });

        assertThat(List.of(kept, halfCovered, ended))
                .as("tries with kept orders, orders that were covered in part, hashes that ended")
                .allMatch(count -> count > 0);
    }

    private record Member(String name, BigDecimal score) {
        static final Comparator<Member> ORDER =
                Comparator.comparing(Member::score).thenComparing(Member::name);

        static Member of(String name, String score) {
            return new Member(name, new BigDecimal(score).stripTrailingZeros());
        }
    }

    private static final class Node {
        private final Replicas replicas;
        private final Keyspace keyspace;
        private final Counters counters;

        Node(long id, Gen gen, AtomicLong now) {
            replicas = new Replicas(new ReplicaId(id, id));
            // Not gen.anyLong(), which has zeros among others: the hashes of all fields have to differ.
            keyspace = new Keyspace(replicas, new SplittableRandom(gen.between(0, 1_000_000))::nextLong, now::get);
            counters = new Counters(keyspace, ChangeLog.NONE);
        }

        void sendTo(Node other) {
            Merges merges = new Merges(other.keyspace, ChangeLog.NONE);
            int number = keyspace.partitionOf(Keyspaces.key(NAMES.getFirst()));
            keyspace.visitAll(
                    number,
                    (type, key, cell) -> merges.merge(
                            Key.of(type, key.toByteArray()), Keyspaces.translated(cell, replicas, other.replicas)));
        }
    }

    private static final class Tried {
        private final Gen gen;
        private final AtomicLong now = new AtomicLong(1_000_000);
        private final int fields;
        private final int values;
        private final Node here;
        private final Node there;
        private int halfCovered;
        private int ended;

        Tried(Gen gen) {
            this.gen = gen;
            fields = gen.pick(5, 70, 200);
            values = gen.pick(1, 3, 1_000_000);
            here = new Node(1, gen, now);
            there = new Node(2, gen, now);
            for (int i = 0; i < fields; i++) {
                byte[] field = ("f" + i).getBytes(StandardCharsets.ISO_8859_1);
                Key key = Keyspaces.key(gen.pick(NAMES));
                Counters.Increment _ =
                        here.counters.hashes().increment(key, field, 0, field.length, gen.between(-values, values));
            }
        }

        boolean hasOrders() {
            PartitionFields fields = partition().fields();
            return fields != null && fields.hasOrders();
        }

        private Partition partition() {
            return here.keyspace.partition(here.keyspace.partitionOf(Keyspaces.key(NAMES.getFirst())));
        }

        void act() {
            String name = gen.pick(NAMES);
            Key key = Keyspaces.key(name);
            byte[] field = ("f" + gen.between(0, fields)).getBytes(StandardCharsets.ISO_8859_1);
            long value = gen.between(-values, values);
            Hashes hashes = here.counters.hashes();
            switch (gen.between(0, 40)) {
                case 0 -> gen.pick(here, there).counters.delete(key);
                case 1 -> {
                    Node node = gen.pick(here, there);
                    boolean _ = node.counters.expireAt(key, now.get() + gen.between(1, 300), (_, _) -> true);
                }
                case 2 -> here.counters.persist(key);
                case 3 -> {
                    now.addAndGet(gen.between(1, 200));
                    ended += here.counters.exists(key) ? 0 : 1;
                }
                case 4 -> new Sweeper(here.keyspace).run();
                case 5, 6 -> {
                    byte[] text = gen.pick(TEXTS).getBytes(StandardCharsets.ISO_8859_1);
                    hashes.assign(key, field, 0, field.length, text, 0, text.length);
                }
                case 7, 8 -> hashes.delete(key, field, 0, field.length);
                case 9, 10 -> there.sendTo(here);
                case 11 -> here.sendTo(there);
                case 12 -> coverSome(key);
                case 13, 14, 15, 16 -> there.counters.hashes().increment(key, field, 0, field.length, value);
                case 17, 18 -> hashes.assign(key, field, 0, field.length, value);
                case 19, 20 -> {
                    byte[] text = fraction(value).toString().getBytes(StandardCharsets.ISO_8859_1);
                    gen.pick(here, there).counters.hashes().assign(key, field, 0, field.length, text, 0, text.length);
                }
                default -> hashes.increment(key, field, 0, field.length, value);
            }
        }

        private Score fraction(long whole) {
            return Score.of(BigDecimal.valueOf(whole + gen.pick(-0.75, -0.5, 0.1, 0.123456789, 0.5)));
        }

        /// As when another thread is at it.
        private void coverSome(Key key) {
            int _ = here.keyspace.partitionOf(key);
            PartitionFields fields = partition().fields();
            if (fields != null) {
                boolean all = fields.order(key, now.get()).cover(gen.between(1, 50), now.get());
                halfCovered += all ? 0 : 1;
            }
        }

        void check(String name) {
            Key key = Keyspaces.key(name);
            List<Member> all = new ArrayList<>();
            here.counters.hashes().each(key, (array, offset, length, cell) -> {
                String value = cell.hasText()
                        ? text(cell.parts().array(), cell.textOffset(), cell.textLength())
                        : Long.toString(cell.value());
                if (!NO_NUMBERS.contains(value)) {
                    all.add(Member.of(text(array, offset, length), value));
                }
            });
            all.sort(Member.ORDER);
            Score low = bound();
            Score high = bound();
            BigDecimal least = new BigDecimal(low.toString());
            BigDecimal greatest = new BigDecimal(high.toString());
            List<Member> between = all.stream()
                    .filter(member -> member.score.compareTo(least) >= 0 && member.score.compareTo(greatest) <= 0)
                    .toList();
            Ranking ranking = here.counters.ranking();

            assertThat(members(key, Slice.ofPositions(0, -1, Direction.FROM_LEAST)))
                    .isEqualTo(all);
            assertThat(members(key, Slice.ofPositions(0, -1, Direction.FROM_GREATEST)))
                    .isEqualTo(all.reversed());
            assertThat(ranking.count(key, low, high.next())).isEqualTo(between.size());
            assertThat(members(key, new Slice(low, high.next(), 0, -1, Direction.FROM_GREATEST)))
                    .isEqualTo(between.reversed());
            checkPositions(key, all, between, low, high.next());
        }

        private Score bound() {
            long value = gen.between(-values, values);
            return gen.chance(50) ? Score.of(value) : fraction(value);
        }

        private void checkPositions(Key key, List<Member> all, List<Member> between, Score low, Score high) {
            int start = gen.between(0, 9);
            int stop = gen.between(0, 99);
            assertThat(members(key, new Slice(low, high, start, stop, Direction.FROM_LEAST)))
                    .isEqualTo(part(between, start, stop));
            assertThat(members(key, Slice.ofPositions(start - 10, stop - 100, Direction.FROM_LEAST)))
                    .isEqualTo(part(all, Math.max(0, all.size() + start - 10), all.size() + stop - 100));
            for (int i = 0; i < 5 && !all.isEmpty(); i++) {
                int place = gen.between(0, all.size() - 1);
                byte[] field = all.get(place).name.getBytes(StandardCharsets.ISO_8859_1);
                assertThat(here.counters.ranking().position(key, field, 0, field.length, Direction.FROM_LEAST))
                        .isEqualTo(place);
                assertThat(here.counters.ranking().position(key, field, 0, field.length, Direction.FROM_GREATEST))
                        .isEqualTo(all.size() - 1 - place);
            }
            assertThat(here.counters.ranking().position(key, new byte[] {'?'}, 0, 1, Direction.FROM_LEAST))
                    .isNegative();
        }

        private static List<Member> part(List<Member> list, int start, int stop) {
            int end = Math.min(list.size() - 1, stop);
            return start > end ? Collections.emptyList() : list.subList(start, end + 1);
        }

        private List<Member> members(Key key, Slice slice) {
            List<Member> members = new ArrayList<>();
            here.counters
                    .ranking()
                    .each(
                            key,
                            slice,
                            (array, offset, length, score) ->
                                    members.add(Member.of(text(array, offset, length), score.toString())));
            return members;
        }

        private static String text(byte[] array, int offset, int length) {
            return new String(array, offset, length, StandardCharsets.ISO_8859_1);
        }
    }
}
