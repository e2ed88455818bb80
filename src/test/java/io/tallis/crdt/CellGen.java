package io.tallis.crdt;

import io.tallis.testing.Gen;
import java.util.Arrays;
import java.util.HexFormat;

/// Random cells, of the kind that merges bring: any counts, and in a third of the cases each a life, a register, and
/// parts of kinds that this version does not know.
public final class CellGen {
    /// A time of day with deadlines on both sides, none of them near.
    public static final long NOW = 1_000_000;

    private static final int NEAREST = 1_000;
    private static final int FARTHEST = 900_000;
    private static final int LONGEST_PART = 200;
    private static final int FIRST_UNKNOWN = Parts.TOKEN + 1;

    private CellGen() {}

    /// A cell with up to five shards, of which some are empty.
    public static Cell cell(Gen gen, CounterType type) {
        return cell(gen, type, gen.chance(50) ? -1 : 1);
    }

    /// The same, with all deadlines after [#NOW].
    public static Cell livingCell(Gen gen, CounterType type) {
        return cell(gen, type, 1);
    }

    private static Cell cell(Gen gen, CounterType type, int side) {
        Cell cell = new Cell().clear(type);
        cell.counts().copyFrom(CounterGen.counter(gen, type));
        if (gen.chance(33)) {
            life(gen, cell.life(), side);
        }
        if (type != CounterType.GCOUNT && gen.chance(33)) {
            register(gen, cell.parts());
        }
        if (gen.chance(33)) {
            unknown(gen, cell.parts());
        }
        return cell;
    }

    /// A life after some changes by clients.
    private static void life(Gen gen, Life life, int side) {
        life.expireAt(deadline(gen, side), gen.chance(50));
        for (int i = gen.between(0, 3); i > 0; i--) {
            switch (gen.between(0, 5)) {
                case 0 -> life.persist();
                case 1 -> life.beginAgain();
                case 2 -> life.outlast();
                default -> life.expireAt(deadline(gen, side), gen.chance(50));
            }
        }
        if (gen.chance(20)) {
            boolean _ = life.outlive(gen.between(0, 3), gen.between(1, 3));
        }
    }

    private static long deadline(Gen gen, int side) {
        return gen.chance(5) && side > 0
                ? Life.NEVER - 1 - gen.between(0, 9)
                : NOW + side * (long) gen.between(NEAREST, FARTHEST);
    }

    /// A number, text, or the reset of one. Many have the same stamp.
    private static void register(Gen gen, Parts parts) {
        byte[] text = gen.bytes(LONGEST_PART);
        byte[] register = new byte[Register.VALUE_AT + text.length];
        long timestamp = Register.timestamp(NOW + gen.between(0, 2), gen.between(0, 1), 0);
        byte state = gen.pick(Register.NUMBER, Register.BYTES, Register.NONE);
        Register.writeTimestamp(timestamp, state, register);
        int length = Register.VALUE_AT;
        if (state == Register.NUMBER) {
            register = Arrays.copyOf(register, Register.VALUE_AT + Long.BYTES);
            Register.writeNumber(gen.anyLong(), register);
            length = register.length;
        } else if (state == Register.BYTES) {
            System.arraycopy(text, 0, register, Register.VALUE_AT, text.length);
            length = register.length;
        }
        parts.put(Parts.REGISTER, register, 0, length);
    }

    private static void unknown(Gen gen, Parts parts) {
        for (int i = gen.between(1, 3); i > 0; i--) {
            byte[] bytes = gen.bytes(gen.pick(2, LONGEST_PART));
            int kind = gen.pick(FIRST_UNKNOWN, FIRST_UNKNOWN + 1, gen.between(FIRST_UNKNOWN, Parts.LAST_KIND));
            parts.put(kind, bytes, 0, bytes.length);
        }
    }

    /// The same without shards of which every total is zero: no form of a cell outside this process has them.
    public static Cell withoutEmptyShards(Cell cell) {
        Cell copy = copyOf(cell);
        Counter counts = cell.counts();
        copy.counts().clear(cell.type());
        for (int i = 0; i < counts.shards(); i++) {
            if (hasTotals(counts, i)) {
                int shard = copy.counts().append(counts.replica(i));
                for (int total = 0; total < 8; total += 2) {
                    copy.counts().put(shard, total, counts.high(i, total), counts.low(i, total));
                }
            }
        }
        return copy;
    }

    private static boolean hasTotals(Counter counts, int shard) {
        return (counts.high(shard, Counter.P)
                        | counts.low(shard, Counter.P)
                        | counts.high(shard, Counter.N)
                        | counts.low(shard, Counter.N))
                != 0;
    }

    /// The cell as text, for messages of tests.
    public static String show(Cell cell) {
        StringBuilder text = new StringBuilder();
        Counter counts = cell.counts();
        for (int i = 0; i < counts.shards(); i++) {
            text.append(counts.replica(i)).append('[');
            for (int total = 0; total < 8; total += 2) {
                text.append(total == 0 ? "" : ", ");
                text.append(Long.toHexString(counts.high(i, total))).append(':');
                text.append(Long.toHexString(counts.low(i, total)));
            }
            text.append("] ");
        }
        Life life = cell.life();
        if (!life.isEmpty()) {
            text.append("life %d.%d, outlived %d.%d, until %d, first %d to %d, horizon %d "
                    .formatted(
                            life.number(),
                            life.version(),
                            life.outlivedNumber(),
                            life.outlivedVersion(),
                            life.deadline(),
                            life.earliestFirst(),
                            life.latestFirst(),
                            life.horizon()));
        }
        Parts parts = cell.parts();
        for (int i = 0; i < parts.count(); i++) {
            text.append(parts.kind(i)).append('=');
            text.append(HexFormat.of().formatHex(parts.array(), parts.offset(i), parts.offset(i) + parts.length(i)));
            text.append(' ');
        }
        return text.toString();
    }

    public static Cell copyOf(Cell cell) {
        Cell copy = new Cell();
        copy.copyFrom(cell);
        return copy;
    }
}
