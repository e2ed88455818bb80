package io.tallis.keyspace;

import io.tallis.crdt.CounterType;
import io.tallis.wire.FieldKey;
import java.util.function.ToIntFunction;

/// The fields of hashes in the order of their scores, as one thread reads them: a part of its [Counters], whose rules
/// hold here too.
///
/// Fields with text that is no number have no place in the order. The partition keeps the order of a hash with many
/// fields since it was first read. Each method locks the partition of the hash, for some fields after the other where
/// there are many. Belongs to one thread.
public final class Ranking {
    private final Counters counters;
    private final Key field = new Key();

    Ranking(Counters counters) {
        this.counters = counters;
    }

    /// From which end fields are counted and shown.
    public enum Direction {
        FROM_LEAST,
        FROM_GREATEST
    }

    /// Those fields whose score is not below `from` and below `to`, and of these the ones from `start` to `stop`:
    /// positions in this direction, from the other end if they are negative.
    public record Slice(Score from, Score to, long start, long stop, Direction direction) {
        public static final Slice NONE = new Slice(Score.END, Score.END, 0, 0, Direction.FROM_LEAST);

        /// The fields at these positions.
        public static Slice ofPositions(long start, long stop, Direction direction) {
            return new Slice(Score.START, Score.END, start, stop, direction);
        }

        private boolean isReverse() {
            return direction == Direction.FROM_GREATEST;
        }

        /// Whether no score is within the bounds.
        public boolean isEmpty() {
            return from.compareTo(to) >= 0;
        }

        boolean has(Score score) {
            return score.compareTo(from) >= 0 && score.compareTo(to) < 0;
        }

        /// The first position, among so many.
        private int first(int fields) {
            return Math.clamp(start < 0 ? start + fields : start, 0, fields);
        }

        /// The last position, -1 if it is before the first.
        private int last(int fields) {
            return Math.clamp(stop < 0 ? stop + fields : stop, -1, fields - 1);
        }
    }

    /// Is shown fields of a hash under the lock: the bytes of its name, and its score. Must not call [Counters].
    @FunctionalInterface
    public interface Visitor {
        void field(byte[] array, int offset, int length, Score score);
    }

    /// How many fields have a score that is not below `from` and below `to`.
    public int count(Key hash, Score from, Score to) {
        return from.compareTo(to) >= 0 ? 0 : read(hash, order -> order.below(to) - order.below(from));
    }

    /// How many fields are before this one in this direction; negative if it is not there, or has no score.
    /// [Counters#cell] is its cell then.
    public int position(Key hash, byte[] array, int offset, int length, Direction direction) {
        return read(hash, order -> {
            // The hash is in the request, and the key of the field in a buffer.
            Score score = counters.hashes().read(hash, array, offset, length) ? Score.of(counters.cell()) : null;
            if (score == null) {
                return -1;
            }
            Key key = counters.hashes().key(hash, array, offset, length);
            counters.partition(hash).table().place(key);
            boolean _ = order.seek(score, key);
            int before = order.position();
            return direction == Direction.FROM_LEAST ? before : order.size() - 1 - before;
        });
    }

    /// Makes the order of a hash, for some fields after the other, so that a reading within a section finds it.
    public void prepare(Key hash) {
        int _ = read(hash, FieldOrder::size);
    }

    /// Shows the fields of a slice. If they are many, they are those of several moments.
    public void each(Key hash, Slice slice, Visitor visitor) {
        if (!slice.isEmpty()) {
            Progress progress = new Progress(slice, visitor, FieldKey.prefixLength(hash.length()));
            while (read(hash, progress::step) > 0) {}
        }
    }

    /// Shows the first [Hashes#PIECE] fields of a slice, at one moment. Returns where the others are once these are
    /// removed.
    public Slice first(Key hash, Slice slice, Visitor visitor) {
        if (slice.isEmpty()) {
            return slice;
        }
        Progress progress = new Progress(slice, visitor, FieldKey.prefixLength(hash.length()));
        return read(hash, progress::step) > 0 ? progress.rest() : Slice.NONE;
    }

    /// Reads the order of a hash, once it is covered, under the lock. An order of which fields have ended meanwhile is
    /// made again once, and not for ever.
    private int read(Key hash, ToIntFunction<FieldOrder> reading) {
        Partition partition = counters.partition(hash);
        boolean isSecond = false;
        while (true) {
            partition.lock();
            try {
                long now = counters.now();
                PartitionFields fields = partition.fields();
                FieldOrder order = fields == null
                        ? new FieldOrder(new FieldOrder.Scratch(partition), hash)
                        : fields.order(hash, now);
                if (order.cover(Hashes.PIECE, now)) {
                    if (isSecond || !order.isDue(now)) {
                        return reading.applyAsInt(order);
                    }
                    isSecond = true;
                }
            } finally {
                partition.unlock();
            }
        }
    }

    /// How far a slice is shown.
    private final class Progress {
        private final Slice slice;
        private final Visitor visitor;
        private final int prefix;
        private boolean isBegun;
        private int start;
        private int left;

        // The entry that was shown last under the last hold of the lock
        private Score score = Score.START;
        private Key key = new Key();

        Progress(Slice slice, Visitor visitor, int prefix) {
            this.slice = slice;
            this.visitor = visitor;
            this.prefix = prefix;
        }

        /// Shows some more fields. Returns whether to go on: 1, or 0.
        int step(FieldOrder order) {
            boolean any = isBegun ? goOn(order) : begin(order);
            for (int shown = 0; any && left > 0; shown++) {
                Score next = order.score();
                if (!slice.has(next)) {
                    return 0;
                }
                if (shown == Hashes.PIECE) {
                    key = Key.of(CounterType.FIELD, field.toByteArray());
                    counters.partition(key);
                    return 1;
                }
                show(order, next);
                any = slice.isReverse() ? order.back() : order.forth();
            }
            return 0;
        }

        private boolean begin(FieldOrder order) {
            isBegun = true;
            int first = order.below(slice.from);
            int fields = order.below(slice.to) - first;
            start = slice.first(fields);
            left = slice.last(fields) - start + 1;
            if (left > 0) {
                order.goTo(slice.isReverse() ? first + fields - 1 - start : first + start);
            }
            return left > 0;
        }

        /// What was not shown, without what was.
        Slice rest() {
            return new Slice(slice.from, slice.to, start, (long) start + left - 1, slice.direction);
        }

        /// Goes to the entry behind the one that was shown last, which may have moved meanwhile.
        private boolean goOn(FieldOrder order) {
            boolean any = order.seek(score, key);
            return slice.isReverse() ? order.back() : any && (!order.isSought() || order.forth());
        }

        private void show(FieldOrder order, Score next) {
            order.openKey(field);
            score = next;
            visitor.field(field.array(), field.offset() + prefix, field.length() - prefix, score);
            left--;
        }
    }
}
