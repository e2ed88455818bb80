package io.tallis.journal.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.journal.log.FsyncPolicy;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Merges;
import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Data directories that are copied, restored from older copies, rolled back and run side by side: what their processes
/// counted adds up, each count once (I1, I2).
final class CopiedDirectoriesTest {
    private static final String KEY = "visits";
    private static final int EVENTS = 6;

    @Test
    void copiesAndRollbacks_mergedTogether_loseAndDoubleNothing() {
        Property.forAll(CopiedDirectoriesTest::copyRollBackAndMerge);
    }

    private static void copyRollBackAndMerge(Gen gen) throws IOException {
        List<SimulatedMachine> machines = new ArrayList<>(List.of(new SimulatedMachine()));
        List<Keyspace> lives = new ArrayList<>();
        long counted = 0;
        for (int i = 0; i < EVENTS; i++) {
            SimulatedMachine machine = gen.pick(machines);
            if (gen.chance(40)) {
                machines.add(machine.copy());
                continue;
            }
            // A directory that was copied before this life is an older copy, or one that was rolled back, after it.
            SimulatedProcess process = new SimulatedProcess(machine, FsyncPolicy.EVERYSEC, new Ledger(), gen);
            for (int turn = gen.between(1, 5); turn > 0; turn--) {
                int amount = gen.between(1, 9);
                process.count(KEY, amount);
                counted += amount;
                if (gen.chance(30)) {
                    process.checkpoint();
                }
            }
            lives.add(process.keyspace);
        }

        Keyspace merged = new Keyspace(new Replicas(new ReplicaId(1, 1)), gen::anyLong, () -> 1_000_000);
        lives.forEach(life -> merge(life, merged));
        lives.forEach(life -> merge(life, merged));

        assertThat(valueIn(merged)).isEqualTo(counted);
    }

    private static void merge(Keyspace from, Keyspace into) {
        Ledger translator = new Ledger(into.replicas());
        Counters counters = new Counters(into, ChangeLog.NONE);
        from.scan(
                0,
                Integer.MAX_VALUE,
                (_, key, counter) -> new Merges(counters.keyspace(), counters.log())
                        .merge(Key.of(key.toByteArray()), translator.translate(counter, from.replicas())));
    }

    private static long valueIn(Keyspace keyspace) {
        Counters counters = new Counters(keyspace, ChangeLog.NONE);
        boolean exists = counters.read(CounterType.PNCOUNT, Key.of(KEY.getBytes(StandardCharsets.ISO_8859_1)));
        return exists ? counters.value() : 0;
    }
}
