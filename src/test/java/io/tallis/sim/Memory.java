package io.tallis.sim;

import io.tallis.crdt.Cell;
import io.tallis.keyspace.Keyspace;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/// What a session knows of every counter, noted from its change logs: each change of a cell is held against the
/// specification the moment it is made.
final class Memory {
    private final World world;
    private final int session;
    private final Keyspace keyspace;
    private final Map<CellName, CellState> cells = new HashMap<>();
    private final Map<CellName, CellState> made = new HashMap<>();

    Memory(World world, int session, Keyspace keyspace) {
        this.world = world;
        this.session = session;
        this.keyspace = keyspace;
    }

    CellState of(CellName cell) {
        return cells.getOrDefault(cell, CellState.NOTHING);
    }

    /// What its own clients have made of a counter: its shard, or all of it when they reset it or assigned to it.
    CellState madeOf(CellName cell) {
        return made.getOrDefault(cell, CellState.NOTHING);
    }

    Map<CellName, CellState> cells() {
        return cells;
    }

    /// Takes over what a session found on its disk.
    void load() {
        keyspace.scan(0, Integer.MAX_VALUE, (type, key, counter) -> {
            CellName cell = CellName.of(type, key);
            CellState state = stateOf(counter);
            world.history().value(cell, state);
            cells.put(cell, state);
        });
    }

    /// A client's change made the cell this.
    void changed(CellName cell, Cell counter, CellState expected) {
        CellState state = stateOf(counter);
        if (!state.equals(expected)) {
            throw new Violation("%s is %s after a change, expected %s".formatted(cell, state, expected));
        }
        boolean reset = !of(cell).coversResetsOf(state);
        made.merge(cell, reset ? state : state.of(session), CellState::join);
        cells.put(cell, state);
    }

    /// A merge made the cell this.
    void merged(CellName cell, Cell counter) {
        CellState before = of(cell);
        CellState state = stateOf(counter);
        if (!state.covers(before)) {
            throw new Violation("%s falls from %s to %s (I4)".formatted(cell, before, state));
        }
        if (state.p(session) != before.p(session) || state.n(session) != before.n(session)) {
            throw new Violation("%s: a merge changes the own shard of session %d, %s to %s (I1)"
                    .formatted(cell, session, before, state));
        }
        world.history().value(cell, state);
        cells.put(cell, state);
    }

    CellState stateOf(Cell counter) {
        return CellState.of(counter, keyspace.replicas(), world.sessions());
    }

    /// The keyspace has nothing that no change log was called for.
    void requireComplete() {
        Map<CellName, CellState> found =
                new TreeMap<>((left, right) -> left.toString().compareTo(right.toString()));
        keyspace.scan(
                0, Integer.MAX_VALUE, (type, key, counter) -> found.put(CellName.of(type, key), stateOf(counter)));
        if (found.size() != cells.size()) {
            throw new Violation("%d cells, told of %d".formatted(found.size(), cells.size()));
        }
        found.forEach((cell, state) -> {
            if (!state.equals(of(cell))) {
                throw new Violation("%s is %s, told of %s".formatted(cell, state, of(cell)));
            }
        });
    }
}
