package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import io.tallis.crdt.Replicas;
import io.tallis.wire.CellCodec;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// One thread's access to the counters of the keyspace: read, add, set, delete, merge. All changes go through it (only
/// [CellInserter] adds cells beside it), so that none lacks its row in the journal or its mark.
///
/// Every method takes the lock of the key's partition, so each is atomic by itself; several together are atomic between
/// [#lock] and [#unlock]. A change, its marks and its record in this thread's [ChangeLog] are made under one hold of
/// the lock. Belongs to one thread.
///
/// Methods that change a counter on behalf of a client or a peer throw [KeyspaceFullException], having changed nothing,
/// when the counter or its partition is full; see [Capacity].
public final class Counters extends CellEditor {
    /*
     * What a change leaves behind
     * ---------------------------
     * In this order, under one hold of the partition's lock:
     *   1. the cell is packed again and marked for the checkpoint;
     *   2. it is recorded for the journal, by one row;
     *   3. if a client made the change, the replicator is told, by a copy of the row or by a mark.
     *
     *     change                                    row
     *     increment, deadline                       this process's own shard, and all parts
     *     delete, set, merge, total of a source     the whole cell
     *     any change of a cell that was reset, as
     *     long as the journal may lack that reset   the whole cell
     *
     * The last line is what I8 asks for. Two event loops may change a cell one after the other, and a crash may leave
     * only the turn of the second. If that is an increment after a SET, its row alone would put the value of the SET
     * into this process's shard beside the shards of others as they were before it. After two rotations of the journal
     * everything recorded before them is written, and rows may be short again.
     *
     * The row comes before the replicator: what could not be recorded is not sent. If anything fails in between, the
     * process ends, since the cell may have changed without a record.
     */

    /// For how many times its debt a key with a limited rate is kept. What several nodes admit at once becomes a debt
    /// that none of them foresaw: so many times theirs is worked off, and more is forgiven, so that after a long
    /// partition no client is refused for as long as that lasted.
    private static final int DEBT_KEPT = 4;

    /// How much longer it is kept, so that a key in use at a high rate does not end between two requests.
    private static final long DEBT_KEPT_MILLIS = 1000;

    private final Capacity capacity;
    private final TokenCells tokens;
    private final Hashes hashes;
    private final Ranking ranking;
    private final long replicaBits;

    /// What the last [#increment] has added.
    private long added;

    private long debt;
    private long debtEnds;

    private boolean isNew;

    /// The position of the source's shard after the last [#takeTotals], negative for none.
    private int shard;

    public Counters(Keyspace keyspace, ChangeLog log) {
        this(keyspace, log, null);
    }

    /// For a thread that makes many changes for clients: they go to the replicator by `ring`, which is this thread's
    /// own.
    public Counters(Keyspace keyspace, ChangeLog log, @Nullable EntryRing ring) {
        super(keyspace, log, ring);
        replicaBits = keyspace.replicas().id(Replicas.OWN).low();
        capacity = new Capacity(keyspace);
        tokens = new TokenCells(keyspace, log);
        hashes = new Hashes(this);
        ranking = new Ranking(this);
    }

    public Keyspace keyspace() {
        return keyspace;
    }

    public ChangeLog log() {
        return log;
    }

    /// Checks whether there is room for changes.
    public Capacity capacity() {
        return capacity;
    }

    /// The counters that are fields of hashes.
    public Hashes hashes() {
        return hashes;
    }

    /// The fields of hashes in the order of their values.
    public Ranking ranking() {
        return ranking;
    }

    // Several steps as one

    /// Keeps all other threads from the key until [#unlock]; may be nested.
    public void lock(Key key) {
        partition(key).lock();
        beginSection();
    }

    public void unlock(Key key) {
        endSection();
        partition(key).unlock();
    }

    /// Keeps all other threads from these partitions until [#unlockAll]; taken in ascending order.
    public void lockAll(BitSet partitions) {
        for (int i = partitions.nextSetBit(0); i >= 0; i = partitions.nextSetBit(i + 1)) {
            keyspace.partition(i).lock();
        }
        beginSection();
    }

    public void unlockAll(BitSet partitions) {
        endSection();
        for (int i = partitions.nextSetBit(0); i >= 0; i = partitions.nextSetBit(i + 1)) {
            keyspace.partition(i).unlock();
        }
    }

    // Reading

    /// Reads a counter, for [#value] and [#counter]. Returns whether it exists.
    public boolean read(CounterType type, Key key) {
        Partition partition = partition(key);
        partition.lock();
        try {
            return partition.read(type, key, cell) != CellTable.NONE && isSeen();
        } finally {
            partition.unlock();
        }
    }

    /// Whether the key holds a counter of either type, or is a hash. If it is only a hash, [#cell] has no register.
    public boolean exists(Key key) {
        return readAny(key) != null || hashes.exists(key);
    }

    /// Reads the counter of the key, the PNCOUNT if there are both, for [#value] and [#counter]. Returns its type, null
    /// if there is none.
    public @Nullable CounterType readAny(Key key) {
        Partition partition = partition(key);
        partition.lock();
        try {
            if (partition.counts(CounterType.PNCOUNT, key, cell) && isSeen()) {
                return CounterType.PNCOUNT;
            }
            if (partition.counts(CounterType.GCOUNT, key, cell) && isSeen()) {
                return CounterType.GCOUNT;
            }
            cell.clear(CounterType.PNCOUNT); // it may have ended, with what it had counted
            return null;
        } finally {
            partition.unlock();
        }
    }

    /// Whether readers see the cell that was read; resets it if its deadline has come.
    private boolean isSeen() {
        if (cell.life().hasDeadline()) {
            cell.endIfOver(now());
        }
        return cell.exists();
    }

    /// What [#deadline] returns for a key without counters.
    public static final long ABSENT = Long.MIN_VALUE;

    /// The deadline of a key, the later one if it has both counters or is a hash too; [Life#NEVER] if it has none,
    /// [#ABSENT] if there is no such key.
    public long deadline(Key key) {
        Partition partition = partition(key);
        partition.lock();
        try {
            long now = now();
            long ofCounters = Math.max(
                    deadline(partition, CounterType.PNCOUNT, key, now),
                    deadline(partition, CounterType.GCOUNT, key, now));
            return partition.hasFields() ? Math.max(ofCounters, hashes.deadline(key)) : ofCounters;
        } finally {
            partition.unlock();
        }
    }

    /// The same for the counter of one type.
    public long deadline(CounterType type, Key key) {
        Partition partition = partition(key);
        partition.lock();
        try {
            return deadline(partition, type, key, now());
        } finally {
            partition.unlock();
        }
    }

    private long deadline(Partition partition, CounterType type, Key key, long now) {
        return partition.sees(type, key, spare, now) ? spare.life().deadline() : ABSENT;
    }

    /// The value of the counter that was read or changed last; **unsigned** if it is a GCOUNT.
    public long value() {
        return cell.value();
    }

    /// The cell that was read or changed last; good until the next call of any method.
    public Cell cell() {
        return cell;
    }

    /// The state of a key's cells, for finding out later whether anything has changed; null if it has none.
    public byte @Nullable [] snapshot(Key key) {
        Partition partition = partition(key);
        partition.lock();
        try {
            long now = now();
            partition.read(CounterType.PNCOUNT, key, cell);
            partition.read(CounterType.GCOUNT, key, spare);
            // A watched key changes at its deadline, whether it has been swept by then or not.
            cell.endIfOver(now);
            spare.endIfOver(now);
            PartitionFields fields = partition.fields();
            boolean isHash = fields != null && fields.firstDeadline(key, now) != ABSENT;
            if (cell.isBlank() && spare.isBlank() && !isHash) {
                return null;
            }
            int size = PackedCell.size(cell) + PackedCell.size(spare);
            byte[] bytes = new byte[size + (isHash ? Long.BYTES : 0)];
            PackedCell.write(spare, bytes, PackedCell.write(cell, bytes, 0));
            if (isHash) {
                // Any change in the partition passes for one of the hash, whose fields may be many.
                ByteBuffer.wrap(bytes).putLong(size, partition.version());
            }
            return bytes;
        } finally {
            partition.unlock();
        }
    }

    /// Whether the key's cells are as they were when the snapshot was taken.
    public boolean unchanged(Key key, byte @Nullable [] snapshot) {
        return Arrays.equals(snapshot, snapshot(key));
    }

    // Changes by a client

    /// A deadline to be given to a change: the cell keeps the one that it has.
    public static final long KEEP = -1;

    /// Adds to a PNCOUNT. Returns false, having changed nothing, when it has text or the value would leave 64 signed
    /// bits.
    public boolean add(Key key, long delta) {
        Partition partition = open(CounterType.PNCOUNT, key);
        try {
            if (cell.hasText()) {
                return false;
            }
            beginShard(partition, key);
            if (!cell.add(Replicas.OWN, delta)) {
                return false;
            }
            if (delta != 0) {
                save(partition, key, Partition.Change.OWN);
            }
            return true;
        } finally {
            partition.unlock();
        }
    }

    /// Adds to a PNCOUNT as `INCRBY` does: refused if the key has a GCOUNT only, or text, and adding 0 makes the
    /// counter exist. Changes nothing unless it returns [Increment#DONE].
    public Increment increment(Key key, long delta) {
        Partition partition = open(CounterType.PNCOUNT, key);
        try {
            Increment refusal = refusalToIncrement(partition, key);
            return refusal == Increment.DONE ? increment(partition, key, delta, KEEP) : refusal;
        } finally {
            partition.unlock();
        }
    }

    /// The same as `INCREX` does it. [#value] and [#added] then say what became of it.
    public Increment increment(Key key, Step step) {
        Partition partition = open(CounterType.PNCOUNT, key);
        try {
            added = 0;
            Increment refusal = refusalToIncrement(partition, key);
            if (refusal != Increment.DONE) {
                return refusal;
            }
            long before = cell.value();
            if (step.skips(cell.exists()) || !(step.saturates() || step.fits(before))) {
                return Increment.SKIPPED;
            }
            long after = step.fits(before) ? before + step.delta() : step.bound(before);
            long delta = after - before;
            if (((after ^ before) & (after ^ delta)) < 0) {
                return Increment.OUT_OF_RANGE;
            }
            boolean keeps = step.onlyIfUndated() && cell.life().hasDeadline();
            Increment increment = increment(partition, key, delta, keeps ? KEEP : step.deadline());
            added = increment == Increment.DONE ? delta : 0;
            return increment == Increment.OUT_OF_RANGE ? Increment.SKIPPED : increment;
        } finally {
            partition.unlock();
        }
    }

    /// The same, unless it was done before with the same `token`: then [#added] is what it added then. A step that adds
    /// nothing leaves no token.
    public Increment increment(Key key, Step step, byte[] token) {
        return once(key, token, () -> increment(key, step));
    }

    /// The same for [#add], [Increment#SKIPPED] if it refuses.
    public Increment add(Key key, long delta, byte[] token) {
        return once(key, token, () -> {
            boolean isAdded = add(key, delta);
            added = isAdded ? delta : 0;
            return isAdded ? Increment.DONE : Increment.SKIPPED;
        });
    }

    /// Whether a counter may have a token of so many bytes.
    public static boolean fitsToken(Key key, int tokenLength) {
        return TokenCells.keyLength(key, tokenLength) <= CellCodec.LONGEST_KEY;
    }

    private Increment once(Key key, byte[] token, Supplier<Increment> increment) {
        lock(key);
        log.beginGroup();
        try {
            boolean _ = read(CounterType.PNCOUNT, key);
            return switch (tokens.find(key, token, cell.counts())) {
                case NOT_HERE -> Increment.NOT_HERE;
                case YES -> recordRepeated(key);
                case NO -> incrementFirst(increment);
            };
        } finally {
            log.endGroup();
            unlock(key);
        }
    }

    /// Whether the last [#takeTotals], or increment with a token, has told this node anything new.
    public boolean isNew() {
        return isNew;
    }

    private Increment recordRepeated(Key key) {
        Partition partition = openStored(CounterType.PNCOUNT, key);
        try {
            isNew = false;
            added = tokens.amount();
            tokens.recordAgain();
            if (slot != CellTable.NONE) {
                recordAgain(key);
            }
            noteChange();
            boolean _ = isSeen();
            return Increment.DONE;
        } finally {
            partition.unlock();
        }
    }

    private Increment incrementFirst(Supplier<Increment> increment) {
        if (keyspace.tokens().isFull()) {
            return Increment.TOO_MANY_TOKENS;
        }
        tokens.requireRoom();
        isNew = true;
        Increment done = increment.get();
        if (done == Increment.DONE && added != 0) {
            tokens.add(cell, added);
        }
        return done;
    }

    /// What the last [#increment(Key, Step)] has added.
    public long added() {
        return added;
    }

    /// Whether a PNCOUNT that was opened may be added to by commands that see a key as one value; [Increment#DONE] if
    /// so.
    private Increment refusalToIncrement(Partition partition, Key key) {
        if (!cell.exists() && seesOther(partition, key)) {
            return Increment.WRONG_TYPE;
        }
        return cell.hasText() ? Increment.NO_NUMBER : Increment.DONE;
    }

    /// Whether readers see a GCOUNT of a key whose PNCOUNT was opened; [#spare] is it then. If not, the PNCOUNT may be
    /// changed.
    private boolean seesGCount(Partition partition, Key key) {
        if (partition.table().cells(CounterType.GCOUNT) == 0) {
            return false;
        }
        if (partition.sees(CounterType.GCOUNT, key, spare, now())) {
            return true;
        }
        // To change a cell it has to be the one that was read last.
        reopen(partition, CounterType.PNCOUNT, key);
        return false;
    }

    /// Whether readers see a GCOUNT or a hash of a key whose PNCOUNT was opened. If not, the PNCOUNT may be changed.
    private boolean seesOther(Partition partition, Key key) {
        if (seesGCount(partition, key)) {
            return true;
        }
        PartitionFields fields = partition.fields();
        if (fields == null) {
            return false;
        }
        boolean isHash = fields.firstDeadline(key, now()) != ABSENT;
        reopen(partition, CounterType.PNCOUNT, key);
        return isHash;
    }

    Increment increment(Partition partition, Key key, long delta, long deadline) {
        boolean existed = cell.exists();
        beginShard(partition, key);
        if (!cell.add(Replicas.OWN, delta)) {
            return Increment.OUT_OF_RANGE;
        }
        if (delta == 0 && !existed) {
            cell.assign(0, now(), replicaBits);
        }
        if (deadline != KEEP) {
            expireAt(partition, deadline);
        }
        if (delta != 0 || !existed || deadline != KEEP) {
            save(partition, key, Partition.Change.OWN);
        }
        return Increment.DONE;
    }

    /// The result of an increment.
    public enum Increment {
        DONE,
        /// The value would leave 64 signed bits.
        OUT_OF_RANGE,
        /// The key has a GCOUNT and no PNCOUNT.
        WRONG_TYPE,
        /// The key holds text.
        NO_NUMBER,
        /// A condition or a bound of [Step] does not hold.
        SKIPPED,
        /// Another node has done it, and what it did is not here yet.
        NOT_HERE,
        /// It would be of one token more than there may be.
        TOO_MANY_TOKENS
    }

    /// Admits a request to a key with a limited rate, or refuses it and changes nothing: [Increment#DONE] or
    /// [Increment#SKIPPED]. Refused with another result as [#increment(Key, long)] is. `cost` is not negative.
    ///
    /// The value of the key is the moment, in nanoseconds since 1970, at which everything that was admitted will be
    /// worked off; the time until then is the debt. A request raises the debt by its `cost`, and is refused if that
    /// would make it more than `burst`. A key without debt is set to now first. Both are what `SET` and `INCRBY` do, so
    /// all nodes agree in the end: requests that two nodes admit at once add up.
    public Increment admit(Key key, long cost, long burst) {
        Partition partition = open(CounterType.PNCOUNT, key);
        try {
            Increment refusal = refusalToIncrement(partition, key);
            if (refusal != Increment.DONE) {
                return refusal;
            }
            long millis = now();
            long now = TimeUnit.MILLISECONDS.toNanos(millis);
            debt = Math.max(0, cell.value() - now);
            debtEnds = TimeUnit.MILLISECONDS.toNanos(cell.life().deadline() - millis);
            if (cost > burst - debt) {
                return Increment.SKIPPED;
            }
            return cost == 0 ? Increment.DONE : admit(partition, key, cost, millis);
        } finally {
            partition.unlock();
        }
    }

    private Increment admit(Partition partition, Key key, long cost, long millis) {
        boolean idle = debt == 0;
        if (idle) {
            cell.assign(TimeUnit.MILLISECONDS.toNanos(millis), millis, replicaBits);
        }
        beginShard(partition, key);
        if (!cell.add(Replicas.OWN, cost)) {
            return Increment.OUT_OF_RANGE;
        }
        debt += cost;
        // An earlier deadline would win over a later one that another node sets at the same time.
        long deadline = millis + DEBT_KEPT * TimeUnit.NANOSECONDS.toMillis(debt) + DEBT_KEPT_MILLIS;
        if (!cell.life().hasDeadline() || cell.life().deadline() < deadline) {
            expireAt(partition, deadline);
        }
        debtEnds = TimeUnit.MILLISECONDS.toNanos(cell.life().deadline() - millis);
        save(partition, key, idle ? Partition.Change.OWN_RESET : Partition.Change.OWN);
        return Increment.DONE;
    }

    /// How many nanoseconds it takes to work off what is admitted, after the last [#admit].
    public long debt() {
        return debt;
    }

    /// In how many nanoseconds the key ends, and what is left of its debt is forgiven.
    public long debtEnds() {
        return debtEnds;
    }

    /// Adds an unsigned amount to a GCOUNT, which saturates at 2^64-1.
    public void grow(Key key, long amount) {
        Partition partition = open(CounterType.GCOUNT, key);
        try {
            beginShard(partition, key);
            cell.counts().grow(Replicas.OWN, amount);
            if (amount != 0) {
                save(partition, key, Partition.Change.OWN);
            }
        } finally {
            partition.unlock();
        }
    }

    /// Takes over what a source has counted in a counter, two unsigned totals: for a PNCOUNT of 63 bits each, for a
    /// GCOUNT `subtracted` is 0. Totals that are not larger than those known are no change, but the reply has to wait
    /// until the journal has those, and peers are told them (again), as if it were one. `source` is its replica number.
    public Increment takeTotals(CounterType type, Key key, int source, long added, long subtracted) {
        Partition partition = open(type, key);
        try {
            if (cell.hasText()) {
                return Increment.NO_NUMBER;
            }
            isNew = cell.counts().lags(source, added, subtracted);
            if (!isNew) {
                // As it is stored, without the next life of a key that has ended.
                load(partition, type, key);
            } else if (!cell.raise(source, added, subtracted)) {
                return Increment.OUT_OF_RANGE;
            }
            if (!cell.isBlank()) {
                if (cell.counts().shards() > Capacity.SHARDS) {
                    throw KeyspaceFullException.ofCounter();
                }
                save(partition, key, Partition.Change.OWN_SOURCE);
            }
            shard = cell.counts().find(source);
            return Increment.DONE;
        } finally {
            partition.unlock();
        }
    }

    /// What the source of the last [#takeTotals] has added, as far as this node knows; **unsigned**.
    public long sourceAdded() {
        return shard < 0 ? 0 : cell.counts().low(shard, Counter.P);
    }

    /// The same for what it has subtracted.
    public long sourceSubtracted() {
        return shard < 0 ? 0 : cell.counts().low(shard, Counter.N);
    }

    /// Assigns a number to the PNCOUNT of a key: what this node sees of it is reset, in the same change. `deadline` is
    /// [#KEEP], [Life#NEVER] or the new one.
    public void assign(Key key, long number, long deadline) {
        Partition partition = open(CounterType.PNCOUNT, key);
        try {
            cell.assign(number, now(), replicaBits);
            saveAssigned(partition, key, deadline);
        } finally {
            partition.unlock();
        }
    }

    /// The same for bytes that are no whole number.
    public void assign(Key key, byte[] text, int offset, int length, long deadline) {
        Partition partition = open(CounterType.PNCOUNT, key);
        try {
            cell.assign(text, offset, length, now(), replicaBits);
            saveAssigned(partition, key, deadline);
        } finally {
            partition.unlock();
        }
    }

    /// Assigns a number as `SET` does: refused if the key has a GCOUNT only, or is a hash. Returns whether it was
    /// assigned.
    public boolean set(Key key, long number, long deadline) {
        Partition partition = open(CounterType.PNCOUNT, key);
        try {
            if (!cell.exists() && seesOther(partition, key)) {
                return false;
            }
            cell.assign(number, now(), replicaBits);
            saveAssigned(partition, key, deadline);
            return true;
        } finally {
            partition.unlock();
        }
    }

    /// The same for bytes that are no whole number.
    public boolean set(Key key, byte[] text, int offset, int length, long deadline) {
        Partition partition = open(CounterType.PNCOUNT, key);
        try {
            if (!cell.exists() && seesOther(partition, key)) {
                return false;
            }
            cell.assign(text, offset, length, now(), replicaBits);
            saveAssigned(partition, key, deadline);
            return true;
        } finally {
            partition.unlock();
        }
    }

    /// Assigns a number to the cell that was opened, without storing it.
    void assign(long number) {
        cell.assign(number, now(), replicaBits);
    }

    /// The same for bytes that are no whole number.
    void assign(byte[] text, int offset, int length) {
        cell.assign(text, offset, length, now(), replicaBits);
    }

    /// Stores a field that was assigned to. `deadline` is [#KEEP], or that of a new field.
    void saveField(Partition partition, Key key, long deadline) {
        if (deadline != KEEP) {
            expireAt(partition, deadline);
        }
        save(partition, key, Partition.Change.OWN_RESET);
    }

    /// Stores a cell that was assigned to.
    void saveAssigned(Partition partition, Key key, long deadline) {
        if (deadline != KEEP) {
            if (!cell.life().isEmpty()) {
                beginAgain();
            }
            if (deadline != Life.NEVER) {
                expireAt(partition, deadline);
            }
        }
        save(partition, key, Partition.Change.OWN_RESET);
    }

    /// Whether a deadline may take the place of the present one, [Life#NEVER] if there is none.
    @FunctionalInterface
    public interface DeadlineRule {
        boolean allows(long present, long wanted);
    }

    /// Sets the deadline of a key, of both counters if it has both, and of all fields of a hash; deletes the key if
    /// that has come already. The rule is asked about [#deadline]. Returns false if it does not allow it, or there is
    /// no such key.
    public boolean expireAt(Key key, long deadline, DeadlineRule rule) {
        return hashes.exists(key) ? expireHashAt(key, deadline, rule) : expireCountersAt(key, deadline, rule);
    }

    /// In one moment, unless the hash is large.
    private boolean expireHashAt(Key key, long deadline, DeadlineRule rule) {
        boolean isSmall = hashes.length(key) <= Hashes.PIECE;
        if (!isSmall) {
            return expireFieldsAt(key, deadline, rule);
        }
        lock(key);
        try {
            return expireFieldsAt(key, deadline, rule);
        } finally {
            unlock(key);
        }
    }

    private boolean expireFieldsAt(Key key, long deadline, DeadlineRule rule) {
        long present = deadline(key);
        if (present == ABSENT || !rule.allows(present, deadline)) {
            return false;
        }
        if (deadline <= now()) {
            return delete(key);
        }
        boolean changed = changeBoth(key, (type, _) -> expireAt(type, key, deadline));
        return hashes.expireAt(key, deadline) || changed;
    }

    private boolean expireCountersAt(Key key, long deadline, DeadlineRule rule) {
        Partition partition = open(CounterType.PNCOUNT, key);
        try {
            boolean hasGCount = seesGCount(partition, key);
            long present = deadlineOf(cell);
            if (hasGCount) {
                present = Math.max(present, spare.life().deadline());
            }
            if (present == ABSENT || !rule.allows(present, deadline)) {
                return false;
            }
            if (deadline <= now()) {
                return delete(key);
            }
            if (hasGCount) {
                return changeBoth(key, (type, _) -> expireAt(type, key, deadline));
            }
            expireAt(partition, deadline);
            save(partition, key, Partition.Change.OWN);
            return true;
        } finally {
            partition.unlock();
        }
    }

    /// The same for the counter of one type.
    public boolean expireAt(CounterType type, Key key, long deadline, DeadlineRule rule) {
        Partition partition = open(type, key);
        try {
            long present = deadlineOf(cell);
            if (present == ABSENT || !rule.allows(present, deadline)) {
                return false;
            }
            if (deadline <= now()) {
                return delete(type, key);
            }
            expireAt(partition, deadline);
            save(partition, key, Partition.Change.OWN);
            return true;
        } finally {
            partition.unlock();
        }
    }

    private static long deadlineOf(Cell cell) {
        return cell.exists() ? cell.life().deadline() : ABSENT;
    }

    /// Takes away the deadlines of a key. Returns whether it had any.
    public boolean persist(Key key) {
        boolean changed = changeBoth(key, this::persist);
        return hashes.persist(key) || changed;
    }

    boolean persist(CounterType type, Key key) {
        long deadline = deadline(type, key);
        return deadline != ABSENT && deadline != Life.NEVER && expireAt(type, key, Life.NEVER);
    }

    /// Sets the deadline of a counter that exists; [Life#NEVER] takes it away. Returns false if there is no such
    /// counter.
    public boolean expireAt(CounterType type, Key key, long deadline) {
        Partition partition = open(type, key);
        try {
            if (!cell.exists()) {
                return false;
            }
            expireAt(partition, deadline);
            save(partition, key, Partition.Change.OWN);
            return true;
        } finally {
            partition.unlock();
        }
    }

    private void expireAt(Partition partition, long deadline) {
        if (deadline != Life.NEVER) {
            // What is over at once is over now: peers would take an older end for a copy that comes too late.
            boolean isYoung = ended || expiry.isAlone() || partition.isYoung(slot);
            cell.life().expireAt(Math.max(deadline, now()), isYoung);
        } else if (cell.life().hasDeadline()) {
            cell.life().persist();
        }
    }

    /// Deletes a counter: resets all that this node sees of it. Returns whether it existed.
    public boolean delete(CounterType type, Key key) {
        Partition partition = open(type, key);
        try {
            boolean existed = cell.reset();
            if (existed) {
                if (expiry.isAlone() && !keyspace.replicas().hasSource(cell.counts())) {
                    cell.life().endEverywhere(now());
                } else if (!cell.life().hasDeadline()) {
                    cell.life().outlast();
                }
                save(partition, key, Partition.Change.OWN_RESET);
            } else if (partition.resetRecently(slot)) {
                // The client is told that the counter does not exist. That has to stay true after a crash, so the reply
                // must wait until the journal has the reset, which may be in another thread's turn.
                load(partition, type, key);
                recordAgain(key);
            }
            return existed;
        } finally {
            partition.unlock();
        }
    }

    /// Deletes both counters of a key in one change, and the fields of a hash. Returns whether there was one.
    public boolean delete(Key key) {
        boolean deleted = changeBoth(key, this::delete);
        return hashes.delete(key) || deleted;
    }

    /// Changes the PNCOUNT and then the GCOUNT of a key as one, by changes that take no more room than a reset does.
    /// Returns whether either was changed.
    private boolean changeBoth(Key key, BiPredicate<CounterType, Key> change) {
        lock(key);
        log.beginGroup();
        try {
            capacity.requireRoomForReset(key);
            boolean changed = change.test(CounterType.PNCOUNT, key);
            return change.test(CounterType.GCOUNT, key) || changed;
        } finally {
            log.endGroup();
            unlock(key);
        }
    }
}
