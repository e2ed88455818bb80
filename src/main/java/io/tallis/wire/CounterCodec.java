package io.tallis.wire;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import java.util.Arrays;

/// Counters as bytes, the same for journal, database, network and digests.
///
/// ```
/// entry    type (1) | key length (varint, 1 to 65535) | key | counter
/// counter  number of shards (varint) | shard ...              in ascending order of replica id
/// shard    flags (1) | replica id (16, big-endian) | totals   those that the flags name: p n rp rn, as varints
/// flags    1 p   2 n   4 rp   8 rn   16 the id is left out: it is the frame's owner
/// ```
///
/// Totals that are 0 and shards without totals are left out, so that equal counters are equal bytes (I5) when no
/// owner is named. Decoding takes shards in any order, and throws on malformed bytes; the counter's content is
/// undefined then.
public final class CounterCodec {
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

    public CounterCodec(Replicas replicas) {
        this.replicas = replicas;
        met = new IdCache(replicas);
    }

    /// Writes the type and the key of an entry; its counter must follow.
    public void encodeKey(CounterType type, byte[] key, int offset, int length, ByteWriter out) {
        out.u8(type.code());
        out.varint(length);
        out.bytes(key, offset, length);
    }

    /// Reads the type and the key of an entry; [#keyOffset] and [#keyLength] then say where the key stands in the
    /// reader's array.
    public CounterType decodeKey(ByteReader in) throws MalformedException {
        int code = in.u8();
        if (code > CounterType.PNCOUNT.code()) {
            throw new MalformedException("type of counter " + code + " at offset " + (in.position() - 1));
        }
        keyLength = in.count(1);
        if (keyLength == 0 || keyLength > LONGEST_KEY) {
            throw new MalformedException("a key of " + keyLength + " bytes at offset " + in.position());
        }
        keyOffset = in.position();
        in.skip(keyLength);
        return CounterType.ofCode(code);
    }

    public int keyOffset() {
        return keyOffset;
    }

    public int keyLength() {
        return keyLength;
    }

    /// Writes all shards; the id of the replica numbered `owner` is left out.
    public void encode(Counter counter, int owner, ByteWriter out) {
        int shards = sortById(counter);
        out.varint(shards);
        for (int i = 0; i < shards; i++) {
            encodeShard(counter, order[i], owner, out);
        }
    }

    /// Writes the counter as if the shard of the replica numbered `owner` were its only one.
    public void encodeOnly(Counter counter, int owner, ByteWriter out) {
        int position = counter.find(owner);
        if (position < 0 || flags(counter, position) == 0) {
            out.varint(0);
            return;
        }
        out.varint(1);
        encodeShard(counter, position, owner, out);
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

    /// Reads a counter of `type` into `counter`; a shard without an id is that of the replica numbered `owner`.
    public void decode(ByteReader in, CounterType type, int owner, Counter counter) throws MalformedException {
        int shards = in.count(2);
        counter.clear(type);
        if (shards <= FEW) {
            for (int i = 0; i < shards; i++) {
                insertShard(in, owner, counter);
            }
        } else {
            decodeMany(in, shards, owner, counter);
        }
        if (!counter.wellFormed()) {
            throw new MalformedException("a reset of more than was counted, before offset " + in.position());
        }
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

    /// Skips a counter. Checks its length only; [#decode] may still refuse it.
    public void skip(ByteReader in) throws MalformedException {
        for (int left = in.count(2); left > 0; left--) {
            int flags = in.u8();
            in.skip((flags & OWNER) != 0 ? 0 : ID_BYTES);
            for (int totals = flags & ALL_TOTALS; totals != 0; totals &= totals - 1) {
                in.varint128();
            }
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
