package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;

/// A visitor of dirty cells made of functions.
public record DirtyVisitor(BooleanSupplier room, CellVisitor onChanged, BiConsumer<CounterType, Key> onDropped)
        implements DirtyCells.Visitor {
    /// For tests in which nothing is dropped.
    static DirtyVisitor of(BooleanSupplier room, CellVisitor onChanged) {
        return new DirtyVisitor(room, onChanged, (type, key) -> {
            throw new AssertionError(
                    type + " was dropped: " + new String(key.toByteArray(), java.nio.charset.StandardCharsets.UTF_8));
        });
    }

    @Override
    public boolean hasRoom() {
        return room.getAsBoolean();
    }

    @Override
    public void changed(Key key, Cell cell) {
        onChanged.cell(cell.type(), key, cell);
    }

    @Override
    public void dropped(CounterType type, Key key) {
        onDropped.accept(type, key);
    }
}
