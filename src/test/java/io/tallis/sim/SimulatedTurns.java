package io.tallis.sim;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.ReceivedCell;
import io.tallis.keyspace.TurnLog;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;

/// The turn log of one thread of a simulated process.
final class SimulatedTurns implements TurnLog {
    private final Rows writer;
    private final DiskQueue disk;
    private final LongSupplier epochMillis;
    private final BiConsumer<CellName, Cell> recorded;
    private final List<Disk.Entry> rows = new ArrayList<>();
    private final List<Promise> promises = new ArrayList<>();
    private long rowNumber;
    private boolean inGroup;

    /// `recorded` sees every counter as it now is, whole.
    SimulatedTurns(Replicas replicas, DiskQueue disk, LongSupplier epochMillis, BiConsumer<CellName, Cell> recorded) {
        writer = new Rows(replicas);
        this.disk = disk;
        this.epochMillis = epochMillis;
        this.recorded = recorded;
    }

    /// The next outcome acknowledges this.
    void acknowledge(Promise promise) {
        promises.add(promise);
    }

    /// What the next outcome acknowledges.
    List<Promise> promises() {
        return List.copyOf(promises);
    }

    @Override
    public void record(Key key, Cell counter, boolean whole) {
        CellName cell = CellName.of(counter.type(), key);
        rowNumber += inGroup ? 0 : 1;
        rows.add(writer.write(cell, counter, whole, rowNumber, epochMillis.getAsLong()));
        recorded.accept(cell, counter);
    }

    @Override
    public void recordNote(byte[] note) {
        rowNumber += inGroup ? 0 : 1;
        rows.add(new Disk.Note(note, rowNumber));
    }

    @Override
    public void recordReceived(ReceivedCell cell) {
        record(cell.key(), writer.read(cell), true);
    }

    @Override
    public void beginGroup() {
        rowNumber++;
        inGroup = true;
    }

    @Override
    public void endGroup() {
        inGroup = false;
    }

    @Override
    public boolean hasChanges() {
        return !rows.isEmpty();
    }

    @Override
    public void commit(Outcome outcome) {
        Disk.Turn turn = new Disk.Turn(List.copyOf(rows), List.copyOf(promises));
        rows.clear();
        promises.clear();
        disk.add(turn, outcome);
    }

    @Override
    public boolean isLong() {
        return false;
    }

    @Override
    public boolean congested() {
        return disk.congested();
    }
}
