package io.tallis.journal;

import io.tallis.journal.Faults.Fate;
import io.tallis.testing.Gen;

/// A machine with a data directory, on which processes run one after the other.
final class SimulatedMachine {
    final Faults faults = new Faults();
    final SimulatedDisk disk = new SimulatedDisk(faults);
    final SimulatedCellStore store = new SimulatedCellStore(faults);
    final FakeClock clock = new FakeClock();

    /// Lets all go well from now on.
    void heal() {
        faults.restart((_, _) -> Fate.GOOD);
    }

    /// The power goes and comes back.
    void losePower(Gen gen) {
        heal();
        disk.losePower(gen);
        store.losePower(gen);
    }
}
