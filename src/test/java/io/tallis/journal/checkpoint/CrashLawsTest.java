package io.tallis.journal.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.journal.checkpoint.Ledger.Name;
import io.tallis.journal.disk.Faults;
import io.tallis.journal.disk.Faults.Fate;
import io.tallis.journal.disk.Faults.Plan;
import io.tallis.journal.log.FsyncPolicy;
import io.tallis.keyspace.Keyspace;
import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/// After any fault and crash the next process has everything that was acknowledged as durable, no more than was
/// counted, and no half of a reset or a transaction; and the one after that has exactly the same.
final class CrashLawsTest {
    private static final int ACTS = 60;
    private static final int LIVES = 3;
    private static final int SEEDS = 2;

    @Test
    void recovery_afterAnyFaultsAndCrashes_keepsWhatWasPromised() {
        Property.forAll(gen -> new Story(gen).tell(LIVES, randomFaults(gen)));
    }

    @Test
    void recovery_afterACrashAtEachOperation_keepsWhatWasPromised() throws IOException {
        for (Fate fate : new Fate[] {Fate.CRASHES, Fate.CRASHES_AFTER}) {
            tryAtEachOperation(fate);
        }
    }

    @Test
    void recovery_afterAFailureOfEachOperation_keepsWhatWasPromised() throws IOException {
        for (Fate fate : new Fate[] {Fate.FAILS, Fate.FAILS_AFTER, Fate.SHORT}) {
            tryAtEachOperation(fate);
        }
    }

    private static void tryAtEachOperation(Fate fate) throws IOException {
        for (long seed = 1; seed <= SEEDS; seed++) {
            boolean reached = true;
            for (long at = 1; reached; at++) {
                long number = at;
                Story story = new Story(new Gen(seed));
                try {
                    story.tell(1, (count, _) -> count == number ? fate : Fate.GOOD);
                } catch (AssertionError e) {
                    throw new AssertionError("seed " + seed + ", " + fate + " at " + at + ": " + e.getMessage(), e);
                }
                reached = story.operations >= at;
            }
        }
    }

    private static Plan randomFaults(Gen gen) {
        int crashes = gen.pick(0, 1, 3);
        int failures = gen.pick(0, 5, 30);
        return (_, _) -> {
            if (gen.between(0, 999) < 10 * crashes) {
                return gen.pick(Fate.CRASHES, Fate.CRASHES_AFTER);
            }
            return gen.chance(failures) ? gen.pick(Fate.FAILS, Fate.FAILS_AFTER, Fate.SHORT) : Fate.GOOD;
        };
    }

    /// Some processes on one machine, one after the other.
    private static final class Story {
        private final Gen gen;
        private final SimulatedMachine machine = new SimulatedMachine();
        private final Ledger ledger = new Ledger();
        private final FsyncPolicy policy;
        private Map<Name, Cell> known = new TreeMap<>();
        private long operations;

        Story(Gen gen) {
            this.gen = gen;
            policy = gen.pick(FsyncPolicy.ALWAYS, FsyncPolicy.EVERYSEC);
        }

        void tell(int lives, Plan plan) throws IOException {
            for (int life = 0; life < lives; life++) {
                machine.faults.restart(plan);
                live();
                operations = Math.max(operations, machine.faults.count());
                stop();
                checkRecovery();
            }
        }

        private void live() {
            SimulatedProcess process = null;
            try {
                process = start();
                for (int i = 0; i < ACTS; i++) {
                    process.act();
                }
            } catch (Faults.Crash | IOException _) {
                // The machine has stopped, or did not let the process start.
            }
            if (process != null) {
                known = ledger.contentOf(process.keyspace);
            }
        }

        private void stop() {
            if (gen.chance(50)) {
                machine.losePower(gen);
                ledger.forgetAcknowledged();
            } else {
                ledger.promiseAcknowledged();
            }
            machine.heal();
        }

        private void checkRecovery() throws IOException {
            Keyspace first = start().keyspace;
            ledger.check(first, known);
            Map<Name, Cell> content = ledger.contentOf(first);
            assertThat(valueOf(content, "left")).isEqualTo(valueOf(content, "right"));

            Keyspace second = start().keyspace;

            assertThat(second.cells()).isEqualTo(first.cells());
            for (Name name : content.keySet()) {
                int partition = first.partitionOf(name.toKey());
                assertThat(second.digest(partition)).isEqualTo(first.digest(partition));
            }
        }

        private static long valueOf(Map<Name, Cell> content, String key) {
            Cell counter = content.get(new Name(CounterType.GCOUNT, key));
            return counter == null ? 0 : counter.value();
        }

        private SimulatedProcess start() throws IOException {
            return new SimulatedProcess(machine, policy, ledger, gen);
        }
    }
}
