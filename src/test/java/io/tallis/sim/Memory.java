package io.tallis.sim;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Keyspace;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/// What a session knows of every counter, noted from its change logs: each change of a cell is held against the
/// specification the moment it is made.
final class Memory {
    private final World world;
    private final Session owner;
    private final int session;
    private final Keyspace keyspace;
    private final Map<CellName, CellState> cells = new HashMap<>();
    private final Map<CellName, CellState> made = new HashMap<>();

    Memory(World world, Session owner, Keyspace keyspace) {
        this.world = world;
        this.owner = owner;
        session = owner.number();
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
            if (!cell.isInHistory()) {
                if (cell.isRetried()) {
                    world.telling().observe(owner, cell, counter);
                } else if (world.expiring().happens()) {
                    world.lives().loaded(owner, cell, counter);
                }
                return;
            }
            CellState state = stateOf(cell, counter);
            requireValue(cell, counter, state);
            cells.put(cell, state);
        });
        keyspace.folds().made().forEach(fold -> world.folds().found(owner, fold));
    }

    /// A client's change made the cell this.
    void changed(CellName cell, Cell counter, CellState expected) {
        if (!cell.isInHistory()) {
            return;
        }
        noteFloor(cell, counter);
        CellState state = stateOf(cell, counter);
        if (!state.equals(expected)) {
            throw new Violation("%s is %s after a change, expected %s".formatted(cell, state, expected));
        }
        requireValue(cell, counter, state);
        boolean reset = !of(cell).coversResetsOf(state);
        made.merge(cell, reset ? state : state.of(session), CellState::join);
        cells.put(cell, state);
    }

    /// A shard begins where no copy of a cell that was dropped can exceed it, see the product's `Expiry`.
    private void noteFloor(CellName cell, Cell counter) {
        int own = counter.counts().find(Replicas.OWN);
        if (world.expiring().happens() && own >= 0 && !of(cell).hasShard(session)) {
            world.sessions()
                    .floor(
                            cell,
                            session,
                            counter.counts().low(own, Counter.RP),
                            counter.counts().low(own, Counter.RN));
        }
    }

    /// A merge made the cell this.
    void merged(CellName cell, Cell counter) {
        if (!cell.isInHistory()) {
            if (cell.isRetried()) {
                world.telling().observe(owner, cell, counter);
            } else if (world.expiring().happens()) {
                world.lives().merged(owner, cell, counter);
            }
            return;
        }
        CellState before = of(cell);
        CellState state = stateOf(cell, counter);
        if (!state.covers(before)) {
            throw new Violation("%s falls from %s to %s (I4)".formatted(cell, before, state));
        }
        if (state.p(session) != before.p(session) || state.n(session) != before.n(session)) {
            throw new Violation("%s: a merge changes the own shard of session %d, %s to %s (I1)"
                    .formatted(cell, session, before, state));
        }
        requireValue(cell, counter, state);
        cells.put(cell, state);
    }

    /// The product's cell is worth what is specified for somebody who knows `state`.
    private void requireValue(CellName cell, Cell counter, CellState state) {
        long specified = world.history().value(cell, state);
        if (counter.value() != specified) {
            throw new Violation("%s is worth %d to %s, specified is %d for %s"
                    .formatted(cell, counter.value(), owner, specified, state));
        }
    }

    CellState stateOf(CellName cell, Cell counter) {
        return stateOf(cell, counter, of(cell));
    }

    /// What a counter is, as if nothing was folded; `before` is what it was earlier.
    CellState stateOf(CellName cell, Cell counter, CellState before) {
        CellState state = CellState.of(cell, counter, keyspace.replicas(), world.sessions());
        return world.folds().unfolded(cell, state, before);
    }

    /// The keyspace has nothing that no change log was called for.
    void requireComplete() {
        Map<CellName, CellState> found =
                new TreeMap<>((left, right) -> left.toString().compareTo(right.toString()));
        keyspace.scan(0, Integer.MAX_VALUE, (type, key, counter) -> {
            CellName cell = CellName.of(type, key);
            if (cell.isInHistory()) {
                found.put(cell, stateOf(cell, counter));
            }
        });
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
