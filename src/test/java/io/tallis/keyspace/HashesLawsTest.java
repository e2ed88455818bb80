package io.tallis.keyspace;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/// Hashes, strings and counters under the same names, against maps. In a part of the tries names, or fields, or both
/// have equal probe hashes.
final class HashesLawsTest {
    private static final int STEPS = 150;
    private static final int LENGTH = "key:1234".length();
    private static final List<String> NAMES = names();
    private static final long FIRST_TIME = 1_000_000;

    private int shared;
    private int ended;

    /// Three names of equal length in one partition, and one elsewhere.
    private static List<String> names() {
        List<String> names = new ArrayList<>(Keyspaces.namesIn(5, 20).stream()
                .filter(name -> name.length() == LENGTH)
                .limit(3)
                .toList());
        names.add("other");
        return names;
    }

    @Test
    void hashes_afterAnyChanges_haveWhatMapsHave() {
        Property.forAll(gen -> {
            Tried tried = new Tried(gen);
            for (int step = 0; step < STEPS; step++) {
                tried.act();
                if (gen.chance(10)) {
                    tried.check();
                }
            }
            tried.check();
            KeyspaceAudit.check(tried.keyspace);
            shared += tried.isShared() ? 1 : 0;
            ended += tried.ended;
        });

        assertThat(shared).as("tries with names that share a hash").isPositive();
        assertThat(ended).as("hashes that ended").isPositive();
    }

    private static final class Tried {
        private final Gen gen;
        private final AtomicLong now = new AtomicLong(FIRST_TIME);
        private final Keyspace keyspace;
        private final Counters counters;
        private final Sweeper sweeper;
        private final Map<String, TreeMap<String, Long>> hashes = new TreeMap<>();
        private final Map<String, Long> strings = new TreeMap<>();
        private final Map<String, Long> deadlines = new TreeMap<>();
        private int ended;

        Tried(Gen gen) {
            this.gen = gen;
            keyspace = new Keyspace(new Replicas(new ReplicaId(1, 1)), secrets(gen)::getAsLong, now::get);
            keyspace.expiry().alone(true);
            counters = new Counters(keyspace, ChangeLog.NONE);
            sweeper = new Sweeper(keyspace);
            NAMES.forEach(name -> hashes.put(name, new TreeMap<>()));
        }

        /// The last secret, if it equals the length of a key, makes the hash of all keys of that length 0.
        private static LongSupplier secrets(Gen gen) {
            long last = gen.pick(gen.anyLong(), (long) LENGTH, (long) LENGTH + 2);
            int[] number = {0};
            return () -> number[0]++ == 3 ? last : gen.anyLong() | 1;
        }

        boolean isShared() {
            for (int i = 0; i < Keyspace.PARTITIONS; i++) {
                PartitionFields fields = keyspace.partition(i).fields();
                if (fields != null && fields.index().isShared(0)) {
                    return true;
                }
            }
            return false;
        }

        void act() {
            String name = gen.pick(NAMES);
            Map<String, Long> fields = hashes.get(name);
            switch (gen.between(0, 11)) {
                case 0 -> {
                    assertThat(counters.delete(key(name))).isEqualTo(exists(name));
                    fields.clear();
                    strings.remove(name);
                    deadlines.remove(name);
                }
                case 1 -> {
                    String field = field();
                    assertThat(counters.hashes().delete(key(name), bytes(field), 0, field.length()))
                            .isEqualTo(fields.remove(field) != null);
                    forgetIfGone(name);
                }
                case 2 -> setString(name);
                case 3 -> expire(name);
                case 4 -> {
                    boolean was = deadlines.remove(name) != null;
                    assertThat(counters.persist(key(name))).isEqualTo(was);
                }
                case 5 -> pass(gen.between(1, 200));
                case 6 -> sweeper.run();
                case 7 -> assign(name, field(), gen.between(-5, 5));
                default -> increment(name, field(), gen.between(-5, 5));
            }
        }

        private String field() {
            return gen.pick("a", "b", "c") + (gen.chance(30) ? gen.between(1, 9) : "");
        }

        private boolean exists(String name) {
            return !hashes.get(name).isEmpty() || strings.containsKey(name);
        }

        private void forgetIfGone(String name) {
            if (!exists(name)) {
                deadlines.remove(name);
            }
        }

        private void increment(String name, String field, long delta) {
            Counters.Increment done = counters.hashes().increment(key(name), bytes(field), 0, field.length(), delta);
            if (strings.containsKey(name)) {
                assertThat(done).isEqualTo(Counters.Increment.WRONG_TYPE);
                return;
            }
            assertThat(done).isEqualTo(Counters.Increment.DONE);
            long value = hashes.get(name).merge(field, delta, Long::sum);
            assertThat(counters.value()).isEqualTo(value);
        }

        private void assign(String name, String field, long value) {
            Hashes.Assignment done = counters.hashes().assign(key(name), bytes(field), 0, field.length(), value);
            if (strings.containsKey(name)) {
                assertThat(done).isEqualTo(Hashes.Assignment.WRONG_TYPE);
                return;
            }
            boolean existed = hashes.get(name).put(field, value) != null;
            assertThat(done).isEqualTo(existed ? Hashes.Assignment.REPLACED : Hashes.Assignment.MADE);
        }

        private void setString(String name) {
            long value = gen.between(1, 9);
            boolean isHash = !hashes.get(name).isEmpty();
            assertThat(counters.set(key(name), value, Life.NEVER)).isEqualTo(!isHash);
            if (!isHash) {
                strings.put(name, value);
                deadlines.remove(name);
            }
        }

        private void expire(String name) {
            long deadline = now.get() + gen.between(1, 300);
            boolean expired = counters.expireAt(key(name), deadline, (_, _) -> true);
            assertThat(expired).isEqualTo(exists(name));
            if (expired) {
                deadlines.put(name, deadline);
            }
        }

        private void pass(long millis) {
            now.addAndGet(millis);
            for (String name : NAMES) {
                if (deadlines.containsKey(name) && deadlines.get(name) <= now.get()) {
                    deadlines.remove(name);
                    hashes.get(name).clear();
                    strings.remove(name);
                    ended++;
                }
            }
        }

        void check() {
            Set<String> living = new HashSet<>();
            for (String name : NAMES) {
                check(name, hashes.get(name));
                if (exists(name)) {
                    living.add(name);
                }
            }
            List<String> scanned = new ArrayList<>();
            long cursor = 0;
            do {
                cursor = keyspace.scanKeys(cursor, 1, (_, key, cell) -> {
                    if (cell.exists()) {
                        scanned.add(Keyspaces.text(key));
                    }
                });
            } while (cursor != 0);
            assertThat(scanned).containsExactlyInAnyOrderElementsOf(living);
            sweeper.run();
            assertThat(keyspace.keys()).isEqualTo(living.size());
        }

        private void check(String name, Map<String, Long> fields) {
            Hashes own = counters.hashes();
            TreeMap<String, Long> shown = new TreeMap<>();
            own.each(
                    key(name),
                    (array, offset, length, cell) -> assertThat(shown.put(
                                    new String(array, offset, length, StandardCharsets.ISO_8859_1), cell.value()))
                            .isNull());
            assertThat(shown).isEqualTo(fields);
            TreeMap<String, Long> stepped = new TreeMap<>();
            long from = 0;
            while (from < Hashes.END) {
                from = own.next(
                        key(name),
                        from,
                        1,
                        (array, offset, length, cell) -> stepped.put(
                                new String(array, offset, length, StandardCharsets.ISO_8859_1), cell.value()));
            }
            assertThat(stepped).isEqualTo(fields);
            assertThat(own.length(key(name))).isEqualTo(fields.size());
            assertThat(own.exists(key(name))).isEqualTo(!fields.isEmpty());
            assertThat(counters.exists(key(name))).isEqualTo(exists(name));
            assertThat(counters.readAny(key(name))).isEqualTo(strings.containsKey(name) ? CounterType.PNCOUNT : null);
            assertThat(counters.deadline(key(name)))
                    .isEqualTo(exists(name) ? deadlines.getOrDefault(name, Life.NEVER) : Counters.ABSENT);
            boolean any = own.showOne(
                    key(name),
                    gen.between(0, 100),
                    (array, offset, length, _) -> assertThat(fields)
                            .containsKey(new String(array, offset, length, StandardCharsets.ISO_8859_1)));
            assertThat(any).isEqualTo(!fields.isEmpty());
            assertThat(own.bytes(key(name)) > 0).isEqualTo(!fields.isEmpty());
        }

        private static Key key(String name) {
            return Keyspaces.key(name);
        }

        private static byte[] bytes(String text) {
            return text.getBytes(StandardCharsets.ISO_8859_1);
        }
    }
}
