package io.tallis.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.testing.Property;
import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class KeyWalkTest {
    private static final int LONG_KEY = 1 << 11;

    @Test
    void walk_inStepsOfAnySize_showsEveryKeyOnce() {
        Property.forAll(gen -> {
            FakeServer server = new FakeServer();
            FakeClient client = server.connect();
            Set<String> expected = new TreeSet<>();
            for (int i = gen.between(0, 60); i > 0; i--) {
                String key = "k" + gen.between(0, 40);
                switch (gen.between(0, 3)) {
                    case 0 -> client.says("GCOUNT INC " + key + " 1");
                    case 1 -> client.says("DEL " + key);
                    default -> client.says("INCR " + key);
                }
            }
            for (int i = 0; i <= 40; i++) {
                if (client.says("EXISTS k" + i).equals("(integer) 1")) {
                    expected.add("k" + i);
                }
            }

            List<String> seen = walk(server, gen.between(1, 30));

            assertThat(seen).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(expected);
            assertThat(client.says("DBSIZE")).isEqualTo("(integer) " + expected.size());
        });
    }

    @Test
    void step_overLongKeys_endsWhenItHasEnough() {
        FakeServer server = new FakeServer();
        Counters counters = new Counters(server.keyspace(), ChangeLog.NONE);
        int keys = 4 * KeyWalk.ENOUGH_BYTES / LONG_KEY;
        for (int i = 0; i < keys; i++) {
            counters.add(Key.of((i + "k".repeat(LONG_KEY)).getBytes(StandardCharsets.UTF_8)), 1);
        }

        KeyWalk step = KeyWalk.step(server.keyspace(), 0, ScanOptions.matching(new byte[] {'*'}, KeyWalk.MOST_CELLS));

        assertThat(step.bytes()).isBetween((long) KeyWalk.ENOUGH_BYTES, 2L * KeyWalk.ENOUGH_BYTES);
        assertThat(step.cursor()).isNotZero();
        assertThat(walk(server, KeyWalk.MOST_CELLS)).hasSize(keys).doesNotHaveDuplicates();
    }

    @Test
    void step_overDeletedCounters_goesOnUntilItHasMetOthers() {
        FakeServer server = new FakeServer();
        Counters counters = new Counters(server.keyspace(), ChangeLog.NONE);
        int keys = 10 * KeyWalk.ENOUGH_CELLS;
        for (int i = 0; i < keys; i++) {
            Key key = Key.of(("k" + i).getBytes(StandardCharsets.UTF_8));
            counters.add(key, 1);
            if (i % 1_000 != 0) {
                counters.delete(key);
            }
        }

        List<Integer> sizes = new ArrayList<>();
        long cursor = 0;
        do {
            KeyWalk step = KeyWalk.step(server.keyspace(), cursor, ScanOptions.matching(new byte[] {'*'}, 10));
            sizes.add(step.keys().size());
            cursor = step.cursor();
        } while (cursor != 0);

        assertThat(sizes).hasSizeBetween(4, 12).allMatch(size -> size <= 10);
        assertThat(sizes.stream().mapToInt(size -> size).sum()).isEqualTo(keys / 1_000 + 1);
    }

    private static List<String> walk(FakeServer server, int count) {
        List<String> seen = new ArrayList<>();
        long cursor = 0;
        do {
            KeyWalk step = KeyWalk.step(server.keyspace(), cursor, ScanOptions.matching(new byte[] {'*'}, count));
            step.keys().forEach(key -> seen.add(new String(key, StandardCharsets.UTF_8)));
            cursor = step.cursor();
        } while (cursor != 0);
        return seen;
    }
}
