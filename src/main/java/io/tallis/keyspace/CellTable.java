package io.tallis.keyspace;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/// The cells of one partition: keys and counters packed into one array of bytes, found through one array of ints.
/// Guarded by the partition's lock.
final class CellTable {
    /*
     * Layout
     * ------
     *     index    tag (6 bits) | place (26 bits)      0: empty
     *     arena    .. | record | record | ..           a record starts at 4 * place
     *     record   key length and type (varint: length * 2 + type) | key | packed cell | 0 to 3 bytes unused
     *
     * The home slot of a key is its 32-bit probe hash scaled to the size of the index, not its remainder: the index may
     * have any size, grows by half, and walking it walks the hashes in order, which is what SCAN resumes by. Cells that
     * find their home taken take the next free slot, around the end. The tag, bits of the hash that the home does not
     * use, spares a look at nearly every record of another key. Cells are never removed: a deleted counter stays as
     * the watermark of what was deleted.
     *
     * A cell that outgrows its record moves to the end of the arena; the hole is garbage, and when an arena is full it
     * is compacted if a quarter of it is garbage, else it grows by an eighth. The arena ends at 256 MiB, which the
     * place can name; clients are stopped well before (Counters), so that merges find room.
     */

    static final int NONE = -1;

    /// The largest arena; a merge beyond it stops the process.
    static final int ARENA_LIMIT = 1 << 28;

    private static final int UNIT = 4;
    private static final int PLACE_BITS = 26;
    private static final int PLACE_MASK = (1 << PLACE_BITS) - 1;
    private static final int FIRST_INDEX = 16;
    private static final int FIRST_ARENA = 256;
    private static final int LONGEST_HEADER = 3;

    private final KeyHash probes;
    private final LongAdder bytesUsed;

    private int[] index = new int[0];
    private byte[] arena = new byte[0];
    private Marks marks = new Marks(0);
    private int end = UNIT;
    private int garbage;
    private final int[] cells = new int[CounterType.values().length];

    private int cellStart;
    private int cellEnd;

    CellTable(KeyHash probes, LongAdder bytesUsed) {
        this.probes = probes;
        this.bytesUsed = bytesUsed;
    }

    int cells() {
        return cells[0] + cells[1];
    }

    int cells(CounterType type) {
        return cells[type.code()];
    }

    int slots() {
        return index.length;
    }

    int arenaBytes() {
        return arena.length;
    }

    Marks marks() {
        return marks;
    }

    /// The slot of a cell, or [#NONE].
    int find(CounterType type, Key key) {
        int size = index.length;
        if (size == 0) {
            return NONE;
        }
        int tag = tag(key.probe());
        int slot = home(key.probe() >>> 32, size);
        for (int entry = index[slot]; entry != 0; entry = index[slot]) {
            if (entry >>> PLACE_BITS == tag && holds(entry, type, key)) {
                return slot;
            }
            slot = slot + 1 == size ? 0 : slot + 1;
        }
        return NONE;
    }

    /// What the index has where the search for a key begins. Needs no lock and means nothing without one; see
    /// [Anticipation].
    int glance(long probe) {
        int[] seen = index;
        return seen.length == 0 ? 0 : seen[home(probe >>> 32, seen.length)];
    }

    /// The first byte of the record that an entry named when it was glanced at; as meaningless.
    int glanceAt(int entry) {
        byte[] seen = arena;
        int record = record(entry);
        return record < seen.length ? seen[record] : 0;
    }

    private boolean holds(int entry, CounterType type, Key key) {
        int record = record(entry);
        int header = PackedCell.readVarint(arena, record);
        return header == header(type, key.length()) && key.equalTo(arena, record + PackedCell.varintSize(header));
    }

    /// Fills `counter` with the cell at `slot`, which the next [#update] may then replace.
    void read(int slot, Counter counter) {
        int record = record(index[slot]);
        int header = PackedCell.readVarint(arena, record);
        cellStart = record + PackedCell.varintSize(header) + (header >>> 1);
        cellEnd = PackedCell.read(counter, CounterType.ofCode(header & 1), arena, cellStart);
    }

    /// Replaces the cell that was read last, at `slot`.
    void update(int slot, Counter counter) {
        int size = PackedCell.size(counter);
        int record = record(index[slot]);
        if (size <= roundUp(cellEnd - record) - (cellStart - record)) {
            PackedCell.write(counter, arena, cellStart);
            return;
        }
        int head = cellStart - record;
        int hole = roundUp(cellEnd - record);
        int moved = allocate(head + size, slot);
        record = record(index[slot]);
        System.arraycopy(arena, record, arena, moved, head);
        PackedCell.write(counter, arena, moved + head);
        garbage += hole;
        index[slot] = (index[slot] & ~PLACE_MASK) | moved / UNIT;
    }

    /// Adds a cell that is not there yet and returns its slot.
    int insert(CounterType type, Key key, Counter counter) {
        if ((cells() + 1) * 4L > index.length * 3L) {
            growIndex();
        }
        int at = allocate(LONGEST_HEADER + key.length() + PackedCell.size(counter), NONE);
        int header = PackedCell.writeVarint(header(type, key.length()), arena, at);
        System.arraycopy(key.array(), key.offset(), arena, header, key.length());
        end = roundUp(PackedCell.write(counter, arena, header + key.length()));
        cells[type.code()]++;
        int slot = freeSlot(index, key.probe());
        index[slot] = tag(key.probe()) << PLACE_BITS | at / UNIT;
        return slot;
    }

    /// Shows the cells whose probe hash lies in [from, to), both of 32 bits. Returns how many.
    int visit(long from, long to, Key key, Counter counter, CellVisitor visitor) {
        int size = index.length;
        if (size == 0 || from >= to) {
            return 0;
        }
        int first = home(from, size);
        int last = home(to - 1, size);
        int visited = 0;
        for (int step = first; step < first + size; step++) {
            int slot = step < size ? step : step - size;
            if (index[slot] == 0) {
                if (step > last) {
                    break;
                }
                continue;
            }
            open(slot, key, counter);
            long hash = key.probe() >>> 32;
            if (hash >= from && hash < to) {
                visitor.cell(counter.type(), key, counter);
                visited++;
            }
        }
        return visited;
    }

    /// Fills `key` and `counter` with the cell at `slot`.
    void open(int slot, Key key, Counter counter) {
        read(slot, counter);
        int record = record(index[slot]);
        int length = PackedCell.readVarint(arena, record) >>> 1;
        key.set(arena, cellStart - length, length);
        key.place(Keyspace.PLACES, probes);
    }

    boolean isEmpty(int slot) {
        return index[slot] == 0;
    }

    private void growIndex() {
        int[] old = index;
        Marks oldMarks = marks;
        int[] grown = new int[Math.max(FIRST_INDEX, old.length + (old.length >> 1))];
        Marks grownMarks = new Marks(grown.length);
        for (int slot = 0; slot < old.length; slot++) {
            if (old[slot] != 0) {
                int record = record(old[slot]);
                int header = PackedCell.readVarint(arena, record);
                long probe = probes.of(arena, record + PackedCell.varintSize(header), header >>> 1);
                int free = freeSlot(grown, probe);
                grown[free] = old[slot];
                grownMarks.moved(oldMarks, slot, free);
            }
        }
        index = grown;
        marks = grownMarks;
        bytesUsed.add((grown.length - old.length) * (long) Integer.BYTES);
    }

    private static int freeSlot(int[] index, long probe) {
        int slot = home(probe >>> 32, index.length);
        while (index[slot] != 0) {
            slot = slot + 1 == index.length ? 0 : slot + 1;
        }
        return slot;
    }

    /// Room at the end of the arena for a record of `size` bytes. `moving` is the slot of the record that will
    /// leave a hole, or [#NONE]; whatever happens to the arena, the index names every record's place afterwards.
    private int allocate(int size, int moving) {
        int needed = roundUp(size);
        if (arena.length - end < needed) {
            makeRoom(needed);
        }
        int at = end;
        if (moving != NONE) {
            end += needed;
        }
        return at;
    }

    private void makeRoom(int needed) {
        int before = arena.length;
        if (garbage > end / 4) {
            compact(needed);
        } else {
            arena = Arrays.copyOf(arena, withSlack((long) end + needed));
        }
        bytesUsed.add(arena.length - (long) before);
    }

    private void compact(int needed) {
        byte[] compacted = new byte[withSlack((long) end - garbage + needed)];
        int to = UNIT;
        for (int slot = 0; slot < index.length; slot++) {
            if (index[slot] != 0) {
                int record = record(index[slot]);
                int header = PackedCell.readVarint(arena, record);
                int cell = record + PackedCell.varintSize(header) + (header >>> 1);
                int length = PackedCell.skip(arena, cell) - record;
                System.arraycopy(arena, record, compacted, to, length);
                index[slot] = (index[slot] & ~PLACE_MASK) | to / UNIT;
                to = roundUp(to + length);
            }
        }
        arena = compacted;
        end = to;
        garbage = 0;
    }

    private static int withSlack(long needed) {
        if (needed > ARENA_LIMIT) {
            throw new KeyspaceFullException("a partition of more than " + ARENA_LIMIT + " bytes");
        }
        return roundUp((int) Math.min(ARENA_LIMIT, Math.max(FIRST_ARENA, needed + needed / 8)));
    }

    private static int home(long hash, int size) {
        return (int) ((hash * size) >>> 32);
    }

    private static int tag(long probe) {
        return (int) probe & (1 << (Integer.SIZE - PLACE_BITS)) - 1;
    }

    private static int record(int entry) {
        return (entry & PLACE_MASK) * UNIT;
    }

    private static int header(CounterType type, int keyLength) {
        return keyLength << 1 | type.code();
    }

    private static int roundUp(int bytes) {
        return bytes + UNIT - 1 & -UNIT;
    }
}
