package io.tallis.journal;

import io.tallis.journal.Faults.Fate;
import io.tallis.testing.FakeClock;
import io.tallis.testing.Gen;

/// A machine with a data directory, on which processes run one after the other.
final class SimulatedMachine {
    final Faults faults = new Faults();
    final FakeClock clock = new FakeClock();
    final SimulatedDisk disk;
    final SimulatedGenerations generations;

    /// How many processes have run, for seeds that differ.
    int starts;

    SimulatedMachine() {
        disk = new SimulatedDisk(faults);
        generations = new SimulatedGenerations(faults);
    }

    private SimulatedMachine(SimulatedMachine original) {
        disk = original.disk.copy(faults);
        generations = original.generations.copy(faults);
        starts = original.starts + 1_000;
    }

    /// Another machine with a copy of the data directory.
    SimulatedMachine copy() {
        return new SimulatedMachine(this);
    }

    /// The database in use.
    SimulatedCellStore store() {
        return generations.store();
    }

    /// Lets all go well from now on.
    void heal() {
        faults.restart((_, _) -> Fate.GOOD);
    }

    /// The power goes and comes back.
    void losePower(Gen gen) {
        heal();
        disk.losePower(gen);
        generations.losePower(gen);
    }
}
