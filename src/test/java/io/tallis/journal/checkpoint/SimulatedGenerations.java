package io.tallis.journal.checkpoint;

import io.tallis.journal.disk.DamagedException;
import io.tallis.journal.disk.Faults;
import io.tallis.journal.disk.Faults.Fate;
import io.tallis.testing.Gen;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The generations of a simulated database, in memory: each step may fail or be the last before a crash. A deletion
/// that is not durable may be undone by a loss of power, for some of the files.
public final class SimulatedGenerations implements Generations.Files {
    private final Faults faults;
    private final TreeMap<Long, SimulatedCellStore> stores = new TreeMap<>();
    private final TreeMap<Long, SimulatedCellStore> deleted = new TreeMap<>();
    private long current;
    private long durableCurrent;

    public SimulatedGenerations(Faults faults) {
        this.faults = faults;
    }

    /// The store of the generation in use.
    SimulatedCellStore store() {
        return stores.get(current);
    }

    /// Puts a generation there and into use.
    public void add(long number, SimulatedCellStore store) {
        stores.put(number, store);
        current = number;
        durableCurrent = number;
    }

    /// Makes the files of a generation readable again.
    void repair(long number) {
        stores.get(number).repairFiles();
    }

    SimulatedGenerations copy(Faults others) {
        SimulatedGenerations copy = new SimulatedGenerations(others);
        stores.forEach((number, store) -> copy.stores.put(number, store.copy(others)));
        copy.current = current;
        copy.durableCurrent = current;
        return copy;
    }

    void losePower(Gen gen) {
        stores.values().forEach(store -> store.losePower(gen));
        for (Map.Entry<Long, SimulatedCellStore> entry : deleted.entrySet()) {
            if (gen.chance(50)) {
                if (gen.chance(50)) {
                    entry.getValue().damageFiles();
                }
                stores.put(entry.getKey(), entry.getValue());
            }
        }
        deleted.clear();
        if (gen.chance(50)) {
            current = durableCurrent;
        }
        durableCurrent = current;
    }

    @Override
    public long current() {
        return current;
    }

    @Override
    public void use(long number) throws IOException {
        Fate fate = faults.next("use generation " + number);
        if (fate != Fate.FAILS) {
            current = number;
        }
        if (fate == Fate.GOOD || fate == Fate.SHORT) {
            durableCurrent = number;
        }
        faults.finish("use generation " + number, fate);
    }

    @Override
    public List<Long> numbers() {
        return List.copyOf(stores.descendingKeySet());
    }

    @Override
    public CellStore create(long number) throws IOException {
        SimulatedCellStore store = new SimulatedCellStore(faults);
        faults.run("create generation " + number, () -> stores.put(number, store));
        deleted.remove(number);
        return store;
    }

    @Override
    public CellStore open(long number) throws IOException {
        SimulatedCellStore store = stores.get(number);
        if (store == null) {
            throw new DamagedException("generation " + number + " is gone");
        }
        return store;
    }

    @Override
    public void delete(long number) throws IOException {
        faults.run("delete generation " + number, () -> {
            SimulatedCellStore store = stores.remove(number);
            if (store != null) {
                deleted.put(number, store);
            }
        });
    }

    @Override
    public String describe(long number) {
        return "generation " + number;
    }
}
