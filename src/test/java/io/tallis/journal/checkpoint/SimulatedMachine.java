package io.tallis.journal.checkpoint;

import io.tallis.journal.disk.Faults;
import io.tallis.journal.disk.Faults.Fate;
import io.tallis.journal.disk.SimulatedDisk;
import io.tallis.testing.FakeClock;
import io.tallis.testing.Gen;

/// A machine with a data directory, on which processes run one after the other.
public final class SimulatedMachine {
    public final Faults faults = new Faults();
    public final FakeClock clock = new FakeClock();
    public final SimulatedDisk disk;
    public final SimulatedGenerations generations;

    /// How many processes have run, for seeds that differ.
    public int starts;

    public SimulatedMachine() {
        disk = new SimulatedDisk(faults);
        generations = new SimulatedGenerations(faults);
    }

    private SimulatedMachine(SimulatedMachine original) {
        disk = original.disk.copy(faults);
        generations = original.generations.copy(faults);
        starts = original.starts + 1_000;
    }

    /// Another machine with a copy of the data directory.
    public SimulatedMachine copy() {
        return new SimulatedMachine(this);
    }

    /// The database in use.
    SimulatedCellStore store() {
        return generations.store();
    }

    /// Lets all go well from now on.
    public void heal() {
        faults.restart((_, _) -> Fate.GOOD);
    }

    /// The power goes and comes back.
    public void losePower(Gen gen) {
        heal();
        disk.losePower(gen);
        generations.losePower(gen);
    }
}
