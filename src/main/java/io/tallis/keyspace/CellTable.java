package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/// The hash table of one partition: finds the cell of a key, and keeps keys and cells packed into bytes.
///
/// A cell is no object. Headers and references would take more memory than the counter itself, and the garbage
/// collector would visit each of many millions. Instead an array of ints, the index, points into an [Arena] of bytes:
///
/// ```
/// index   │ 0 │ tag, place │ 0 │ tag, place │ 0 │ ...           one int a slot; a quarter to a half are free, mostly
///                   │                 ╰──────────────╮
/// arena   ... │ 13 "visits" <packed cell> │ ... │ 10 "stock" <packed cell> │ ...
/// ```
///
/// Guarded by the partition's lock, except [#indexBytes], [Marks#count] and the methods for [Prefetch].
final class CellTable {
    /*
     * Layout
     * ------
     *     index    tag (6 bits) | place (26 bits)      0: empty
     *     arena    .. | record | record | ..           see Arena for places
     *     record   key length and type (varint: length * 4 + type) | key | packed cell | 0 to 3 bytes unused
     *
     * The home slot of a key is its 32-bit probe hash scaled to the size of the index, not its remainder: the index may
     * have any size, grows by half, and walking it walks the hashes in order, which is what SCAN resumes by. Cells that
     * find their home taken take the next free slot, around the end. The tag, bits of the hash that the home does not
     * use, avoids reading nearly every record of another key. A search ends at the first empty slot. So a cell that is
     * removed leaves none inside a run of cells: those behind it that may move up do. A deleted counter is not removed,
     * but stays as the watermark of what was deleted; only cells that are over on every node are, see Expiry.
     *
     * Marks and stamps stand beside the index, under the same slots, and move with the cells when it is resized.
     *
     * A cell that outgrows its record takes a new one. The hole is garbage; when a third of what was allocated is, or
     * garbage takes the last chunks, all records move to a new arena. That takes time in proportion to the partition,
     * under its lock, but it takes as many outgrown records until it is due again: on average each pays for two others.
     * `tidy`, from time to time in the background, does it for a sixteenth, and makes an index smaller of which less
     * than half is used. A large table would be locked for long, so it waits for the third, and its index for a sixth.
     * Records are not kept in free lists by size instead, since sizes are many and a hole seldom fits the next record.
     *
     * `read` remembers where the cell begins and ends, and `update` relies on it: a change is a search, an unpacking
     * and a packing, and the record is parsed once.
     */

    static final int NONE = -1;

    private static final int PLACE_MASK = (1 << Arena.PLACE_BITS) - 1;
    private static final int FIRST_INDEX = 16;

    /// How many times as large an index may become at once, a small one and any other, however many cells are expected:
    /// a peer that announces cells and sends none costs little memory.
    private static final int LARGEST_GROWTH_OF_SMALL = 32;

    private static final int LARGEST_GROWTH = 4;
    private static final int LARGEST_SMALL = 1 << 14;

    private static final int MOST_EXPECTED = 1 << Arena.PLACE_BITS;

    /// With less garbage a change does not move records.
    private static final int LEAST_GARBAGE = 1 << 12;

    /// [#tidy] moves them when so large a part is garbage, and so many bytes.
    private static final int TIDY_PART = 16;

    private static final int LEAST_TIDIED = 1 << 8;

    /// An index is made smaller when less than this part of it is used, and that of a large table.
    private static final int SPARSE = 2;

    private static final int SPARSE_OF_LARGE = 6;
    private static final int LARGE = 1 << 16;

    private final KeyHash probes;
    private final Slabs slabs;
    private final LongAdder bytesUsed;

    private int[] index = new int[0];
    private Arena arena;
    private Marks marks = new Marks(0);
    private int @Nullable [] stamps;
    private long garbage;
    private int expected;
    private final int[] cells = new int[CounterType.values().length];

    private int cellStart;
    private int cellEnd;

    /// The place of the record that was made last.
    private int newest;

    /// The empty slot where the last search that found nothing ended, and the hash it searched for: the cell that is
    /// inserted next mostly belongs there. [#NONE] when the index was resized since.
    private int gap = NONE;

    private long gapProbe;

    CellTable(KeyHash probes, Slabs slabs, LongAdder bytesUsed) {
        this.probes = probes;
        this.slabs = slabs;
        this.bytesUsed = bytesUsed;
        arena = new Arena(slabs, bytesUsed);
    }

    int cells() {
        int all = 0;
        for (int ofType : cells) {
            all += ofType;
        }
        return all;
    }

    int cells(CounterType type) {
        return cells[type.code()];
    }

    int slots() {
        return index.length;
    }

    int chunks() {
        return arena.chunks();
    }

    /// How many bytes records have, without garbage.
    long bytes() {
        return arena.allocated() - garbage;
    }

    Marks marks() {
        return marks;
    }

    /// The bytes of the index and the stamps. May be asked without the lock.
    long indexBytes() {
        // Read once: without the lock it may appear between two reads.
        int[] beside = stamps;
        return (index.length + (beside == null ? 0L : beside.length)) * Integer.BYTES;
    }

    /// The stamp of the cell at `slot`, see [OwnChanges]; [OwnChanges#NEVER] if it was not sent in this session.
    int stamp(int slot) {
        return stamps == null ? OwnChanges.NEVER : stamps[slot];
    }

    /// Stamps the cell at `slot`; the first stamp takes memory for all slots.
    void stamp(int slot, int stamp) {
        if (stamps == null) {
            stamps = new int[index.length];
            bytesUsed.add(index.length * (long) Integer.BYTES);
        }
        stamps[slot] = stamp;
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
            if (entry >>> Arena.PLACE_BITS == tag && holds(entry, type, key)) {
                return slot;
            }
            slot = slot + 1 == size ? 0 : slot + 1;
        }
        gap = slot;
        gapProbe = key.probe();
        return NONE;
    }

    /// The next slot behind `after`, or the first one if that is [#NONE], with a cell that is a field, whose probe hash
    /// begins with `hash` and whose key begins with the first `length` bytes of `prefix`. [#NONE] at the end.
    int nextField(int hash, int after, byte[] prefix, int length) {
        int size = index.length;
        if (size == 0) {
            return NONE;
        }
        int slot = after == NONE ? home(Integer.toUnsignedLong(hash), size) : behind(after, size);
        for (; index[slot] != 0; slot = behind(slot, size)) {
            int place = index[slot] & PLACE_MASK;
            byte[] bytes = arena.bytes(place);
            int record = arena.offset(place);
            int header = PackedCell.readVarint(bytes, record);
            int key = record + PackedCell.varintSize(header);
            if (typeOf(header) == CounterType.FIELD
                    && lengthOf(header) >= length
                    && Arrays.equals(bytes, key, key + length, prefix, 0, length)
                    && (int) (probes.of(bytes, key, lengthOf(header)) >>> Integer.SIZE) == hash) {
                return slot;
            }
        }
        return NONE;
    }

    /// The slot of the field whose key has this probe hash, or [#NONE].
    int findField(long probe) {
        int size = index.length;
        int tag = tag(probe);
        int slot = size == 0 ? NONE : home(probe >>> 32, size);
        for (; slot != NONE && index[slot] != 0; slot = behind(slot, size)) {
            int place = index[slot] & PLACE_MASK;
            byte[] bytes = arena.bytes(place);
            int record = arena.offset(place);
            int header = PackedCell.readVarint(bytes, record);
            if (index[slot] >>> Arena.PLACE_BITS == tag
                    && typeOf(header) == CounterType.FIELD
                    && probes.of(bytes, record + PackedCell.varintSize(header), lengthOf(header)) == probe) {
                return slot;
            }
        }
        return NONE;
    }

    // Loads for Prefetch. They take no lock, so what they return may be stale or half changed, and means nothing.

    /// The slot where the search for a key begins.
    int peekHome(long probe) {
        return home(probe >>> 32, index.length);
    }

    int peekIndex(int slot) {
        int[] seen = index;
        return slot < seen.length ? seen[slot] : 0;
    }

    boolean peekMark(Keyspace.Consumer consumer, int slot) {
        return marks.isMarked(consumer, slot);
    }

    int peekStamp(int slot) {
        int[] seen = stamps;
        return seen != null && slot < seen.length ? seen[slot] : 0;
    }

    /// The first byte of the record that an entry of the index names.
    int peekRecord(int entry) {
        return arena.peek(entry & PLACE_MASK);
    }

    /// Loads all records, in the order in which they stand in memory.
    int peekAll() {
        return arena.peekAll();
    }

    private boolean holds(int entry, CounterType type, Key key) {
        int place = entry & PLACE_MASK;
        byte[] bytes = arena.bytes(place);
        int record = arena.offset(place);
        int header = PackedCell.readVarint(bytes, record);
        return header == header(type, key.length()) && key.equalTo(bytes, record + PackedCell.varintSize(header));
    }

    /// Fills `counter` with the cell at `slot`, which the next [#update] may then replace.
    void read(int slot, Cell counter) {
        int place = index[slot] & PLACE_MASK;
        byte[] bytes = arena.bytes(place);
        int record = arena.offset(place);
        int header = PackedCell.readVarint(bytes, record);
        cellStart = record + PackedCell.varintSize(header) + lengthOf(header);
        cellEnd = PackedCell.read(counter, typeOf(header), bytes, cellStart);
    }

    /// Replaces the cell that was read last, at `slot`.
    void update(int slot, Cell counter) {
        int place = index[slot] & PLACE_MASK;
        byte[] bytes = arena.bytes(place);
        int record = arena.offset(place);
        int head = cellStart - record;
        int size = PackedCell.size(counter);
        int room = Arena.roundUp(cellEnd - record);
        if (head + size <= room) {
            PackedCell.write(counter, bytes, cellStart);
            garbage += room - Arena.roundUp(head + size);
            compactIfWorthIt();
            return;
        }
        int moved = allocate(head + size);
        int left = index[slot] & PLACE_MASK;
        System.arraycopy(arena.bytes(left), arena.offset(left), arena.bytes(moved), arena.offset(moved), head);
        PackedCell.write(counter, arena.bytes(moved), arena.offset(moved) + head);
        index[slot] = (index[slot] & ~PLACE_MASK) | moved;
        garbage += room;
        compactIfWorthIt();
    }

    private void compactIfWorthIt() {
        if (garbage > LEAST_GARBAGE && garbage > arena.allocated() / 3) {
            compact();
        }
    }

    /// Removes the cell at `slot`. Others may move to other slots, towards their home.
    void remove(int slot) {
        int place = index[slot] & PLACE_MASK;
        byte[] bytes = arena.bytes(place);
        int record = arena.offset(place);
        int header = PackedCell.readVarint(bytes, record);
        int cell = record + PackedCell.varintSize(header) + lengthOf(header);
        garbage += Arena.roundUp(PackedCell.skip(bytes, cell) - record);
        cells[typeOf(header).code()]--;
        gap = NONE;
        closeGap(slot);
        compactIfWorthIt();
    }

    /// Whether [#tidy] would free memory. May be asked without the lock, and is about right then.
    boolean isUntidy() {
        return isIndexSparse() || isArenaUntidy();
    }

    private boolean isIndexSparse() {
        int size = index.length;
        return size > FIRST_INDEX && Math.max(cells(), expected) < size / (size > LARGE ? SPARSE_OF_LARGE : SPARSE);
    }

    private boolean isArenaUntidy() {
        long bytes = garbage;
        return index.length <= LARGE && bytes > LEAST_TIDIED && bytes > arena.allocated() / TIDY_PART;
    }

    /// Takes no more memory than the cells need, about. If `mayMove`, cells may get other slots.
    void tidy(boolean mayMove) {
        if (mayMove && isIndexSparse()) {
            resizeIndex(Math.max(FIRST_INDEX, cells() + cells() / 2));
        }
        if (isArenaUntidy()) {
            compact();
        }
    }

    /// Empties a slot, and moves up each cell behind it that a search from its home would no longer find.
    private void closeGap(int slot) {
        int empty = slot;
        marks.clear(empty);
        int size = index.length;
        for (int next = behind(empty, size); index[next] != 0; next = behind(next, size)) {
            int home = home(probeOf(index[next] & PLACE_MASK) >>> 32, size);
            boolean staysFindable = empty <= next ? empty < home && home <= next : empty < home || home <= next;
            if (!staysFindable) {
                index[empty] = index[next];
                marks.move(next, empty);
                if (stamps != null) {
                    stamps[empty] = stamps[next];
                }
                empty = next;
            }
        }
        index[empty] = 0;
        marks.clear(empty);
        if (stamps != null) {
            stamps[empty] = OwnChanges.NEVER;
        }
    }

    private static int behind(int slot, int size) {
        return slot + 1 == size ? 0 : slot + 1;
    }

    /// Lets the index grow in few steps until it has so many cells; 0 ends that.
    void expect(long cells) {
        expected = (int) Math.min(cells, MOST_EXPECTED);
    }

    /// Adds a cell that is not there yet and returns its slot.
    int insert(CounterType type, Key key, Cell counter) {
        int cell = beginRecord(type, key, PackedCell.size(counter));
        PackedCell.write(counter, arena.bytes(newest), cell);
        return enter(type, key);
    }

    /// Adds a cell whose packed form are the first `size` bytes of `packed`.
    int insert(CounterType type, Key key, byte[] packed, int size) {
        int cell = beginRecord(type, key, size);
        System.arraycopy(packed, 0, arena.bytes(newest), cell, size);
        return enter(type, key);
    }

    /// Makes the `newest` record, for a cell of so many bytes. Returns where these begin.
    private int beginRecord(CounterType type, Key key, int size) {
        if ((cells() + 1) * 4L > index.length * 3L) {
            growIndex();
        }
        int header = header(type, key.length());
        newest = allocate(PackedCell.varintSize(header) + key.length() + size);
        byte[] bytes = arena.bytes(newest);
        int keyStart = PackedCell.writeVarint(header, bytes, arena.offset(newest));
        System.arraycopy(key.array(), key.offset(), bytes, keyStart, key.length());
        return keyStart + key.length();
    }

    /// A new record. All others may have moved.
    private int allocate(int size) {
        if (arena.isFull() && garbage > 0) {
            compact();
        }
        return arena.allocate(size);
    }

    /// Enters the newest record into the index. Returns its slot.
    private int enter(CounterType type, Key key) {
        cells[type.code()]++;
        int slot = gap != NONE && gapProbe == key.probe() ? gap : freeSlot(index, key.probe());
        index[slot] = tag(key.probe()) << Arena.PLACE_BITS | newest;
        gap = NONE;
        return slot;
    }

    /// Shows the slots of the cells whose probe hash lies in [from, to), both of 32 bits, and of some that stand
    /// between them.
    void slots(long from, long to, IntConsumer visitor) {
        int size = index.length;
        if (size == 0 || from >= to) {
            return;
        }
        int first = home(from, size);
        int last = home(to - 1, size);
        for (int step = first; step < first + size; step++) {
            int slot = step < size ? step : step - size;
            if (index[slot] != 0) {
                visitor.accept(slot);
            } else if (step > last) {
                return;
            }
        }
    }

    /// Fills `key` and `counter` with the cell at `slot`.
    void open(int slot, Key key, Cell counter) {
        openKey(slot, key);
        read(slot, counter);
    }

    /// Fills `key` with that of the cell at `slot`, without its hashes.
    void openKey(int slot, Key key) {
        int place = index[slot] & PLACE_MASK;
        byte[] bytes = arena.bytes(place);
        int record = arena.offset(place);
        int header = PackedCell.readVarint(bytes, record);
        key.set(typeOf(header), bytes, record + PackedCell.varintSize(header), lengthOf(header));
    }

    /// The type of the cell at `slot`.
    CounterType type(int slot) {
        int place = index[slot] & PLACE_MASK;
        return typeOf(PackedCell.readVarint(arena.bytes(place), arena.offset(place)));
    }

    /// Whether the cell at `slot` has more than counts.
    boolean hasParts(int slot) {
        int place = index[slot] & PLACE_MASK;
        byte[] bytes = arena.bytes(place);
        int record = arena.offset(place);
        int header = PackedCell.readVarint(bytes, record);
        return PackedCell.hasParts(bytes, record + PackedCell.varintSize(header) + lengthOf(header));
    }

    /// Fills `life` with that of the cell at `slot`. Returns whether it has one.
    boolean readLife(int slot, Life life) {
        int place = index[slot] & PLACE_MASK;
        byte[] bytes = arena.bytes(place);
        int record = arena.offset(place);
        int header = PackedCell.readVarint(bytes, record);
        return PackedCell.readLife(bytes, record + PackedCell.varintSize(header) + lengthOf(header), life);
    }

    /// Computes the hashes of `key`.
    void place(Key key) {
        key.place(Keyspace.PLACES, probes);
    }

    boolean isEmpty(int slot) {
        return index[slot] == 0;
    }

    private void growIndex() {
        resizeIndex(grownSize());
    }

    private void resizeIndex(int newSize) {
        int[] old = index;
        Marks oldMarks = marks;
        int[] resized = new int[newSize];
        Marks newMarks = new Marks(resized.length);
        int[] newStamps = stamps == null ? null : new int[resized.length];
        long before = indexBytes();
        for (int slot = 0; slot < old.length; slot++) {
            if (old[slot] != 0) {
                int free = freeSlot(resized, probeOf(old[slot] & PLACE_MASK));
                resized[free] = old[slot];
                newMarks.moved(oldMarks, slot, free);
                if (newStamps != null) {
                    newStamps[free] = stamp(slot);
                }
            }
        }
        index = resized;
        gap = NONE;
        marks = newMarks;
        stamps = newStamps;
        bytesUsed.add(indexBytes() - before);
    }

    private int grownSize() {
        int size = Math.max(FIRST_INDEX, index.length + (index.length >> 1));
        int roomy = expected + expected / 3 + 1;
        int present = Math.max(FIRST_INDEX, index.length);
        int most = present * LARGEST_GROWTH;
        if (most < LARGEST_SMALL) {
            most = Math.min(present * LARGEST_GROWTH_OF_SMALL, LARGEST_SMALL);
        }
        return Math.max(size, Math.min(roomy, most));
    }

    private long probeOf(int place) {
        byte[] bytes = arena.bytes(place);
        int record = arena.offset(place);
        int header = PackedCell.readVarint(bytes, record);
        return probes.of(bytes, record + PackedCell.varintSize(header), lengthOf(header));
    }

    private static int freeSlot(int[] index, long probe) {
        int slot = home(probe >>> 32, index.length);
        while (index[slot] != 0) {
            slot = slot + 1 == index.length ? 0 : slot + 1;
        }
        return slot;
    }

    /// Moves all records to a new arena, without gaps. They fit, as [Capacity] explains; if one did not, that would be
    /// a bug, with half of the records moved.
    private void compact() {
        Arena compacted = new Arena(slabs, bytesUsed);
        for (int slot = 0; slot < index.length; slot++) {
            if (index[slot] != 0) {
                int place = index[slot] & PLACE_MASK;
                byte[] bytes = arena.bytes(place);
                int record = arena.offset(place);
                int header = PackedCell.readVarint(bytes, record);
                int cell = record + PackedCell.varintSize(header) + lengthOf(header);
                int length = PackedCell.skip(bytes, cell) - record;
                index[slot] = (index[slot] & ~PLACE_MASK) | takeOver(compacted, place, length);
            }
        }
        arena.retire();
        arena = compacted;
        garbage = 0;
    }

    private int takeOver(Arena compacted, int place, int length) {
        try {
            return compacted.takeOver(arena, place, length);
        } catch (KeyspaceFullException full) {
            throw new IllegalStateException("records that fitted do not fit in another order", full);
        }
    }

    private static int home(long hash, int size) {
        return (int) ((hash * size) >>> 32);
    }

    private static int tag(long probe) {
        return (int) probe & ((1 << (Integer.SIZE - Arena.PLACE_BITS)) - 1);
    }

    private static int header(CounterType type, int keyLength) {
        return keyLength << CounterType.CODE_BITS | type.code();
    }

    private static int lengthOf(int header) {
        return header >>> CounterType.CODE_BITS;
    }

    private static CounterType typeOf(int header) {
        return CounterType.ofCode(header & (1 << CounterType.CODE_BITS) - 1);
    }
}
