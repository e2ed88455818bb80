package io.tallis.wire;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import java.util.Arrays;

/// Cells as bytes, the same for journal, database, network and digests.
///
/// ```
/// entry    type (1) | key length (varint, 1 to 65535) | key | cell
/// cell     number of shards * 2 + 1 if parts follow (varint) | shard ... | parts       shards in ascending order of id
/// shard    flags (1) | replica id (16, big-endian) | totals   those that the flags name: p n rp rn, as varints
/// flags    1 p   2 n   4 rp   8 rn   16 the id is left out: it is the frame's owner
/// parts    see PartsForm
/// key      that of a field, or of a token: see FieldKey
/// ```
///
/// Totals that are 0 and shards without totals are left out, so that equal cells are equal bytes (I5) when no owner is
/// named. Decoding takes shards in any order, and throws on malformed bytes; the cell's content is undefined then. A
/// later kind of value is to be a further kind of part, which this version keeps and forwards.
public final class CellCodec {
    /// Names no owner: every shard is written with its replica id.
    public static final int NO_OWNER = -1;

    /// The longest key that can be written.
    public static final int LONGEST_KEY = 65_535;

    /// Flags of a shard: it has a p, it has an n, its id is left out.
    public static final int UP = 1;

    public static final int DOWN = 2;
    public static final int OWNER = 16;

    /// How many bytes a replica id has, in the order of its digits.
    public static final int ID_BYTES = 16;

    private static final int[] TOTALS = {Counter.P, Counter.N, Counter.RP, Counter.RN};
    private static final int ALL_TOTALS = 0b1111;

    /// Up to so many shards are put in order one by one.
    private static final int FEW = 16;

    private final Replicas replicas;
    private final IdCache met;
    private int[] order = new int[8];
    private long[] places = new long[8];
    private int keyOffset;
    private int keyLength;
    private boolean partsFollow;

    public CellCodec(Replicas replicas) {
        this.replicas = replicas;
        met = new IdCache(replicas);
    }

    /// Writes the type and the key of an entry; its cell must follow.
    public void encodeKey(CounterType type, byte[] key, int offset, int length, ByteWriter out) {
        out.u8(type.code());
        out.varint(length);
        out.bytes(key, offset, length);
    }

    /// Reads the type and the key of an entry; [#keyOffset] and [#keyLength] then say where the key stands in the
    /// reader's array.
    public CounterType decodeKey(ByteReader in) throws MalformedException {
        int code = in.u8();
        if (!CounterType.isCode(code)) {
            throw new MalformedException("type of counter " + code + " at offset " + (in.position() - 1));
        }
        keyLength = in.count(1);
        if (keyLength == 0 || keyLength > LONGEST_KEY) {
            throw new MalformedException("a key of " + keyLength + " bytes at offset " + in.position());
        }
        keyOffset = in.position();
        in.skip(keyLength);
        CounterType type = CounterType.ofCode(code);
        if (!type.isKey() && !FieldKey.isWellFormed(in.array(), keyOffset, keyLength)) {
            throw new MalformedException("the key of a field at offset " + keyOffset);
        }
        return type;
    }

    public int keyOffset() {
        return keyOffset;
    }

    public int keyLength() {
        return keyLength;
    }

    /// Writes all of the cell; the id of the replica numbered `owner` is left out.
    public void encode(Cell cell, int owner, ByteWriter out) {
        Counter counts = cell.counts();
        int shards = sortById(counts);
        encodeHead(shards, cell, out);
        for (int i = 0; i < shards; i++) {
            encodeShard(counts, order[i], owner, out);
        }
        encodeParts(cell, out);
    }

    /// Writes the cell as if the shard of the replica numbered `owner` were its only one.
    public void encodeOnly(Cell cell, int owner, ByteWriter out) {
        Counter counts = cell.counts();
        int position = counts.find(owner);
        boolean hasShard = position >= 0 && flags(counts, position) != 0;
        encodeHead(hasShard ? 1 : 0, cell, out);
        if (hasShard) {
            encodeShard(counts, position, owner, out);
        }
        encodeParts(cell, out);
    }

    private static void encodeHead(int shards, Cell cell, ByteWriter out) {
        out.varint((long) shards << 1 | (cell.isPlain() ? 0 : 1));
    }

    private static void encodeParts(Cell cell, ByteWriter out) {
        if (!cell.isPlain()) {
            int begin = out.position();
            out.position(begin + PartsForm.size(cell));
            PartsForm.write(cell, out.array(), begin);
        }
    }

    private void encodeShard(Counter counter, int position, int owner, ByteWriter out) {
        int flags = flags(counter, position);
        if (counter.replica(position) == owner) {
            out.u8(flags | OWNER);
        } else {
            out.u8(flags);
            encodeId(replicas.id(counter.replica(position)), out);
        }
        for (int i = 0; i < TOTALS.length; i++) {
            if ((flags & 1 << i) != 0) {
                out.varint(counter.high(position, TOTALS[i]), counter.low(position, TOTALS[i]));
            }
        }
    }

    /// Writes a replica id as its 16 bytes in the order of its digits.
    public static void encodeId(ReplicaId id, ByteWriter out) {
        out.i64(Long.reverseBytes(id.high()));
        out.i64(Long.reverseBytes(id.low()));
    }

    public static ReplicaId decodeId(ByteReader in) throws MalformedException {
        long high = Long.reverseBytes(in.i64());
        return new ReplicaId(high, Long.reverseBytes(in.i64()));
    }

    /// Reads a cell of `type` into `cell`; a shard without an id is that of the replica numbered `owner`.
    public void decode(ByteReader in, CounterType type, int owner, Cell cell) throws MalformedException {
        cell.clear(type);
        int shards = decodeHead(in);
        boolean hasParts = partsFollow;
        if (shards <= FEW) {
            for (int i = 0; i < shards; i++) {
                insertShard(in, owner, cell.counts());
            }
        } else {
            decodeMany(in, shards, owner, cell.counts());
        }
        if (hasParts) {
            in.position(PartsForm.read(in.array(), in.position(), in.position() + in.remaining(), cell));
            cell.life().ended(false); // what another node says of that is of no account
        }
        if (!cell.isWellFormed()) {
            throw new MalformedException("a cell that contradicts itself, before offset " + in.position());
        }
    }

    /// Reads the number of shards, and notes whether parts follow.
    private int decodeHead(ByteReader in) throws MalformedException {
        int offset = in.position();
        long head = in.varint();
        partsFollow = (head & 1) != 0;
        long shards = head >>> 1;
        if (shards > in.remaining() / 2) {
            throw new MalformedException(shards + " shards at offset " + offset);
        }
        return (int) shards;
    }

    private void insertShard(ByteReader in, int owner, Counter counter) throws MalformedException {
        int flags = flags(in, owner);
        int replica = replica(in, flags, owner);
        int shard = counter.insert(replica);
        if (shard < 0) {
            throw new MalformedException("two shards of replica " + replicas.id(replica));
        }
        readTotals(in, flags, shard, counter);
    }

    /// Locates all shards, then appends them in the order of their numbers. Inserting each into its place would take
    /// quadratic time.
    private void decodeMany(ByteReader in, int shards, int owner, Counter counter) throws MalformedException {
        if (shards > places.length) {
            places = new long[shards];
        }
        locateShards(in, shards, owner);
        int end = in.position();
        Arrays.sort(places, 0, shards);
        for (int i = 0; i < shards; i++) {
            appendShard(in, i, counter);
        }
        in.position(end);
    }

    /// Skips a cell. Checks its length only; [#decode] may still refuse it.
    public void skip(ByteReader in) throws MalformedException {
        for (int left = decodeHead(in); left > 0; left--) {
            int flags = in.u8();
            in.skip((flags & OWNER) != 0 ? 0 : ID_BYTES);
            for (int totals = flags & ALL_TOTALS; totals != 0; totals &= totals - 1) {
                in.varint128();
            }
        }
        if (partsFollow) {
            in.position(PartsForm.skip(in.array(), in.position(), in.position() + in.remaining()));
        }
    }

    /// Notes of every shard its replica number (upper half) and the offset of its flags (lower half).
    private void locateShards(ByteReader in, int shards, int owner) throws MalformedException {
        for (int i = 0; i < shards; i++) {
            int offset = in.position();
            int flags = flags(in, owner);
            places[i] = (long) replica(in, flags, owner) << 32 | offset;
            for (int totals = flags & ALL_TOTALS; totals != 0; totals &= totals - 1) {
                in.varint128();
            }
        }
    }

    private int replica(ByteReader in, int flags, int owner) throws MalformedException {
        if ((flags & OWNER) != 0) {
            return owner;
        }
        long high = Long.reverseBytes(in.i64());
        return met.numberOf(high, Long.reverseBytes(in.i64()));
    }

    private static int flags(ByteReader in, int owner) throws MalformedException {
        int flags = in.u8();
        boolean known = (flags & ~(ALL_TOTALS | OWNER)) == 0 && (flags & ALL_TOTALS) != 0;
        if (!known || ((flags & OWNER) != 0 && owner == NO_OWNER)) {
            throw new MalformedException("flags of a shard " + flags + " at offset " + (in.position() - 1));
        }
        return flags;
    }

    private void appendShard(ByteReader in, int place, Counter counter) throws MalformedException {
        int replica = (int) (places[place] >>> 32);
        if (place > 0 && replica == (int) (places[place - 1] >>> 32)) {
            throw new MalformedException("two shards of replica " + replicas.id(replica));
        }
        in.position((int) places[place]);
        int flags = in.u8();
        if ((flags & OWNER) == 0) {
            in.skip(ID_BYTES);
        }
        readTotals(in, flags, counter.append(replica), counter);
    }

    private static void readTotals(ByteReader in, int flags, int shard, Counter counter) throws MalformedException {
        for (int totals = flags & ALL_TOTALS; totals != 0; totals &= totals - 1) {
            long low = in.varint128();
            if ((low | in.high()) == 0) {
                throw new MalformedException("a total of 0 before offset " + in.position());
            }
            counter.put(shard, TOTALS[Integer.numberOfTrailingZeros(totals)], in.high(), low);
        }
    }

    private static int flags(Counter counter, int position) {
        int flags = 0;
        for (int i = 0; i < TOTALS.length; i++) {
            flags |= (counter.high(position, TOTALS[i]) | counter.low(position, TOTALS[i])) != 0 ? 1 << i : 0;
        }
        return flags;
    }

    /// Puts the positions of the shards that are not all zero into `order`, by replica id. Returns their number.
    private int sortById(Counter counter) {
        if (order.length < counter.shards()) {
            order = new int[counter.shards()];
        }
        int count = 0;
        for (int i = 0; i < counter.shards(); i++) {
            if (flags(counter, i) != 0) {
                order[count++] = i;
            }
        }
        if (count > FEW) {
            order = sorted(counter, count);
        } else {
            sortFew(counter, count);
        }
        return count;
    }

    private void sortFew(Counter counter, int count) {
        for (int i = 1; i < count; i++) {
            int position = order[i];
            ReplicaId id = replicas.id(counter.replica(position));
            int to = i;
            for (; to > 0 && replicas.id(counter.replica(order[to - 1])).compareTo(id) > 0; to--) {
                order[to] = order[to - 1];
            }
            order[to] = position;
        }
    }

    private int[] sorted(Counter counter, int count) {
        return Arrays.stream(order, 0, count)
                .boxed()
                .sorted((left, right) ->
                        replicas.id(counter.replica(left)).compareTo(replicas.id(counter.replica(right))))
                .mapToInt(Integer::intValue)
                .toArray();
    }
}
