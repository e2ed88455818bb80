package io.tallis.command.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.keyspace.KeyspaceAudit;
import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Values and deadlines under any order of commands, while time passes and the sweeper runs or does not, against a
/// model that keeps a map.
final class DeadlineModelTest {
    private static final List<String> KEYS = List.of("a", "b", "c");
    private static final List<String> VALUES = List.of("0", "5", "-7", "text", "longer-text-than-that", "007");
    private static final int STEPS = 30;

    private record Entry(String value, @Nullable Long deadline) {}

    private static final class Model {
        final Map<String, Entry> entries = new HashMap<>();
        long now;

        @Nullable
        Entry get(String key) {
            Entry entry = entries.get(key);
            if (entry != null && entry.deadline != null && entry.deadline <= now) {
                entries.remove(key);
                return null;
            }
            return entry;
        }

        @Nullable
        Long deadline(String key) {
            Entry entry = get(key);
            return entry == null ? null : entry.deadline;
        }

        void put(String key, String value, @Nullable Long deadline) {
            entries.put(key, new Entry(value, deadline));
        }
    }

    private final FakeServer server = new FakeServer();
    private final FakeClient client = server.connect();
    private final FakeClient other = server.connect();
    private final Model model = new Model();

    @Test
    void commands_inAnyOrder_doWhatTheModelDoes() {
        Property.forAll(gen -> new DeadlineModelTest().run(gen));
    }

    private void run(Gen gen) {
        for (int i = 0; i < STEPS; i++) {
            step(gen, gen.pick(KEYS), gen.pick(client, other));
            KEYS.forEach(this::check);
        }
        server.sweep();
        KEYS.forEach(this::check);
        long dated = KEYS.stream().filter(key -> model.deadline(key) != null).count();
        assertThat(client.says("DBSIZE")).isEqualTo("(integer) " + model.entries.size());
        assertThat(server.keyspace().dated()).isEqualTo(dated);
        assertThat(server.keyspace().averageTimeToLive()).isEqualTo(averageTimeToLive());
        KeyspaceAudit.check(server.keyspace());
    }

    private long averageTimeToLive() {
        return (long) KEYS.stream()
                .map(model::deadline)
                .filter(deadline -> deadline != null)
                .mapToLong(deadline -> deadline - model.now)
                .average()
                .orElse(0);
    }

    private void check(String key) {
        Entry entry = model.get(key);
        String value = entry == null ? "(nil)" : "\"" + entry.value + "\"";
        long left = entry == null ? -2 : entry.deadline == null ? -1 : entry.deadline - model.now;

        assertThat(client.says("GET " + key)).isEqualTo(value);
        assertThat(client.says("PTTL " + key)).isEqualTo("(integer) " + left);
    }

    private void step(Gen gen, String key, FakeClient by) {
        long millis = gen.between(1, 500);
        String value = gen.pick(VALUES);
        Entry entry = model.get(key);
        switch (gen.between(0, 11)) {
            case 0 -> pass(gen.pick(1L, 100L, 400L, 90_000L));
            case 1 -> server.sweep();
            case 2 -> {
                by.says("SET " + key + " " + value);
                model.put(key, value, null);
            }
            case 3 -> {
                by.says("SET " + key + " " + value + " PX " + millis);
                model.put(key, value, model.now + millis);
            }
            case 4 -> {
                by.says("SET " + key + " " + value + " KEEPTTL");
                model.put(key, value, model.deadline(key));
            }
            case 5 -> increment(key, by);
            case 6 -> expire(key, millis, by);
            case 7 -> {
                by.says("PERSIST " + key);
                model.entries.computeIfPresent(key, (_, old) -> new Entry(old.value, null));
            }
            case 8 -> {
                by.says(gen.pick("DEL ", "GETDEL ", "UNLINK ") + key);
                model.entries.remove(key);
            }
            case 9 -> {
                by.says("APPEND " + key + " x");
                model.put(key, (entry == null ? "" : entry.value) + "x", model.deadline(key));
            }
            case 10 -> {
                by.says("PEXPIRE " + key + " -" + millis);
                model.entries.remove(key);
            }
            default -> incrementWithin(key, millis, by);
        }
    }

    private void pass(long millis) {
        server.passMillis(millis);
        model.now += millis;
    }

    private void increment(String key, FakeClient by) {
        Entry entry = model.get(key);
        String before = entry == null ? "0" : entry.value;
        String reply = by.says("INCRBY " + key + " 3");
        if (before.matches("0|-?[1-9][0-9]*")) {
            String after = Long.toString(Long.parseLong(before) + 3);
            assertThat(reply).isEqualTo("(integer) " + after);
            model.put(key, after, model.deadline(key));
        } else {
            assertThat(reply).startsWith("(error) ERR value is not an integer");
        }
    }

    private void expire(String key, long millis, FakeClient by) {
        Entry entry = model.get(key);
        boolean later = entry != null && entry.deadline != null && model.now + millis > entry.deadline;
        String reply = by.says("PEXPIRE " + key + " " + millis + " GT");
        assertThat(reply).isEqualTo("(integer) " + (later ? 1 : 0));
        reply = by.says("PEXPIRE " + key + " " + millis + " LT");
        boolean earlier = entry != null && (entry.deadline == null || model.now + millis < entry.deadline);
        assertThat(reply).isEqualTo("(integer) " + (earlier ? 1 : 0));
        if (entry != null && (later || earlier)) {
            model.put(key, entry.value, model.now + millis);
        }
    }

    private void incrementWithin(String key, long millis, FakeClient by) {
        Entry entry = model.get(key);
        String before = entry == null ? "0" : entry.value;
        String reply = by.says("INCREX " + key + " BYINT 2 UBOUND 9 PX " + millis + " ENX");
        if (!before.matches("0|-?[1-9][0-9]*")) {
            assertThat(reply).startsWith("(error) ERR value is not an integer");
            return;
        }
        long value = Long.parseLong(before);
        boolean fits = value + 2 <= 9;
        assertThat(reply).isEqualTo("1) (integer) " + (fits ? value + 2 : value) + "\n2) (integer) " + (fits ? 2 : 0));
        if (fits) {
            Long deadline = model.deadline(key);
            model.put(key, Long.toString(value + 2), deadline == null ? Long.valueOf(model.now + millis) : deadline);
        }
    }
}
