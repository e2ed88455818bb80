package io.tallis.crdt;

import org.jspecify.annotations.Nullable;

/// What a key holds under one type: its counts, and where it has any, a life with a deadline, a register, and parts of
/// kinds that only later versions know.
///
/// A mutable workspace, filled from a packed cell, changed, and packed again: clients, recovery and replication all
/// change cells through this class and no other, so that the merge laws that its tests prove are the laws of the
/// product. Not thread-safe.
public final class Cell {
    /*
     * The value
     * ---------
     *     value = the number in the register, 0 if there is none + the sum of the counts
     *
     * SET resets the counts that it sees and assigns the register: what others added meanwhile is added on top. Of two
     * SETs at once the later one is kept. DEL resets the register and the counts that it sees.
     *
     * The end
     * -------
     * At the deadline the cell ends on every node by itself, and nothing has to be sent: for readers it is as if deleted.
     * Its counts stay for some grace, so that they live on if it turns out that another node had extended the deadline.
     * They are reset, as by a DEL, when the grace is over and all nodes are in reach, when the key is used again, or when
     * another copy of the cell lives that is not an extension: so what ended is worth nothing wherever it comes from
     * later. When even the horizon has passed, by that grace, all copies have ended, and the cell is dropped whole.
     *
     *     node A   INCR ── EXPIRE 10 ───────────────── end ──────────────── dropped
     *     node B                     INCR  (B was told of the deadline) ── end ───────── dropped
     *     node C         cut off, INCR ────────────────────────────────────── meets A: worth 1, without deadline
     *
     * When two copies meet, the larger life counts for both, except:
     *   - the larger is over, the other is not: that has not heard of the deadline (C above), or that it was made earlier.
     *     If it has something beyond the larger, it lives on with its own deadline, and the larger is superseded. If not,
     *     it has ended too.
     *   - the smaller is over. It has only not heard that the deadline was extended, unless it is of another number (the
     *     key was used again after the end), or the larger lives and is unrelated, see Life: then it is superseded.
     * A copy that is superseded is reset if it is this node's. If it was received, what it holds is ignored and its sender
     * is answered: it resets that, or has extended the deadline meanwhile.
     */

    private final Counter counts = new Counter();
    private final Life life = new Life();
    private final Parts parts = new Parts();

    private boolean otherLags;

    /// The life of the other cell in a merge, as it was.
    private final Life received = new Life();

    /// A register on its way into [#parts].
    private byte[] written = new byte[64];

    /// Empties the cell and makes it one of `type`.
    public Cell clear(CounterType type) {
        counts.clear(type);
        life.clear();
        parts.clear();
        return this;
    }

    public CounterType type() {
        return counts.type();
    }

    public Counter counts() {
        return counts;
    }

    public Life life() {
        return life;
    }

    public Parts parts() {
        return parts;
    }

    /// Whether it has nothing but counts.
    public boolean isPlain() {
        return life.isEmpty() && parts.count() == 0;
    }

    /// Whether there is nothing at all, not even a reset.
    public boolean isBlank() {
        return counts.shards() == 0 && isPlain();
    }

    /// Makes this an equal copy of `other`.
    public void copyFrom(Cell other) {
        counts.copyFrom(other.counts);
        life.copyFrom(other.life);
        parts.copyFrom(other.parts);
    }

    public boolean sameAs(Cell other) {
        return counts.sameAs(other.counts) && life.sameAs(other.life) && parts.sameAs(other.parts);
    }

    // Reading

    /// Whether a reader sees the cell. Of a cell whose deadline has come only after [#endIfOver] or [#end].
    public boolean exists() {
        return !life.isEnded() && hasContent();
    }

    /// Whether there is anything that is not reset: what a reader sees, or would see but for the end.
    public boolean hasContent() {
        return counts.exists() || hasRegister();
    }

    /// The value as this node sees it, clamped into the range of its type: signed for a PNCOUNT, **unsigned** for a
    /// GCOUNT. Of a cell with text it is the sum of its counts.
    public long value() {
        return counts.value(number());
    }

    /// Whether the register holds bytes that are no whole number.
    public boolean hasText() {
        return registerState() == Register.BYTES;
    }

    /// The position in [#parts] of the register that [#hasText].
    public int textOffset() {
        return parts.offset(parts.find(Parts.REGISTER)) + Register.VALUE_AT;
    }

    public int textLength() {
        return parts.length(parts.find(Parts.REGISTER)) - Register.VALUE_AT;
    }

    /// Whether a value has been assigned and was not reset since.
    public boolean hasRegister() {
        byte state = registerState();
        return state == Register.NUMBER || state == Register.BYTES;
    }

    /// The number in the register, 0 if there is none.
    public long number() {
        return registerState() == Register.NUMBER
                ? Register.numberOf(parts.array(), parts.offset(parts.find(Parts.REGISTER)))
                : 0;
    }

    private byte registerState() {
        if (parts.count() == 0) {
            return Register.NONE;
        }
        int at = parts.find(Parts.REGISTER);
        return at < 0 ? Register.NONE : parts.array()[parts.offset(at) + Register.STATE_AT];
    }

    private long registerTimestamp() {
        int at = parts.find(Parts.REGISTER);
        return at < 0 ? 0 : Register.timestampOf(parts.array(), parts.offset(at));
    }

    // Changes by a client

    /// Adds `delta` to a PNCOUNT without text on behalf of `replica`. Refused, changing nothing, when the value would
    /// leave 64 signed bits. Returns whether it passed.
    public boolean add(int replica, long delta) {
        return counts.add(replica, delta, number());
    }

    /// Raises what a source has counted to these totals, see [Counter#raise]. Returns whether it passed.
    public boolean raise(int source, long added, long subtracted) {
        return counts.raise(source, added, subtracted, number());
    }

    /// Assigns a number: resets what this node sees. `now` and `replicaBits` make the timestamp, see
    /// [Register#timestamp].
    public void assign(long number, long now, long replicaBits) {
        counts.reset();
        Register.writeTimestamp(Register.timestamp(now, replicaBits, registerTimestamp()), Register.NUMBER, written);
        Register.writeNumber(number, written);
        parts.put(Parts.REGISTER, written, 0, Register.VALUE_AT + Long.BYTES);
    }

    /// Assigns bytes that are no whole number.
    public void assign(byte[] text, int offset, int length, long now, long replicaBits) {
        counts.reset();
        if (written.length < Register.VALUE_AT + length) {
            written = new byte[Register.VALUE_AT + length];
        }
        Register.writeTimestamp(Register.timestamp(now, replicaBits, registerTimestamp()), Register.BYTES, written);
        System.arraycopy(text, offset, written, Register.VALUE_AT, length);
        parts.put(Parts.REGISTER, written, 0, Register.VALUE_AT + length);
    }

    /// Resets all that this node has seen. Returns whether there was anything.
    public boolean reset() {
        life.ended(false);
        boolean counted = counts.reset();
        if (!hasRegister()) {
            return counted;
        }
        resetRegister();
        return true;
    }

    private void resetRegister() {
        Register.writeTimestamp(registerTimestamp(), Register.NONE, written);
        parts.put(Parts.REGISTER, written, 0, Register.VALUE_AT);
    }

    /// Resets what `replica` had counted when it sent `late`, and what was assigned by then. Returns whether there was
    /// anything.
    public boolean resetOlder(Cell late, int replica) {
        boolean counted = counts.resetUpTo(late.counts, replica);
        if (!hasRegister() || late.parts.isBelow(parts, parts.find(Parts.REGISTER))) {
            return counted;
        }
        resetRegister();
        return true;
    }

    // The end

    /// Resets what this node has seen if the deadline has come: for readers, and where the key is used again. Returns
    /// whether there was anything.
    public boolean endIfOver(long now) {
        return (life.isEnded() || life.isOver(now)) && reset();
    }

    /// The deadline has come: no reader sees the cell any more.
    public void end() {
        life.ended(true);
    }

    /// Whether no reader sees the cell, and it may be dropped: every copy of it has been over for `grace` milliseconds.
    public boolean isPast(long now, long grace) {
        return life.isPast(now, grace) && (life.isOver(now) || !exists());
    }

    // Merging

    /// Takes over what is new in `other` (I4), whose mark that it has ended is cleared.
    public Counter.Merged merge(Cell other, long now) {
        otherLags = false;
        if (isPlain() && other.isPlain()) {
            return counts.merge(other.counts);
        }
        boolean hadEnded = life.isEnded();
        life.ended(false);
        other.life.ended(false);
        Counter.Merged merged = mergeLives(other, now);
        life.ended(life.isOver(now));
        // After a clock was set back, what ended by it lives on once it is compared with another node.
        boolean isBack = hadEnded && exists() && merged == Counter.Merged.NOTHING_NEW;
        return isBack ? Counter.Merged.GREW : merged;
    }

    private Counter.Merged mergeLives(Cell other, long now) {
        boolean otherIsLarger = other.life.exceeds(life, now);
        Cell larger = otherIsLarger ? other : this;
        Cell superseded = superseded(larger, otherIsLarger ? this : other, now);
        boolean rescue = superseded == larger;
        if (superseded == other && other.hasContent()) {
            otherLags = true;
            return life.merge(other.life, now, rescue) ? Counter.Merged.GREW : Counter.Merged.NOTHING_NEW;
        }
        received.copyFrom(other.life);
        boolean isReset = superseded == this && reset();
        boolean newLife = life.merge(other.life, now, rescue);
        boolean newParts = parts.merge(other.parts);
        Counter.Merged merged = counts.merge(other.counts);
        otherLags = !life.isEmpty()
                && (!life.sameAs(received) || hasResetsBeyond(other))
                && !(received.isOver(now) && life.isOver(now));
        if (isReset || merged == Counter.Merged.RESET) {
            return Counter.Merged.RESET;
        }
        return newLife || newParts ? Counter.Merged.GREW : merged;
    }

    /// Which of two copies counts no more beside the other, if any.
    private static @Nullable Cell superseded(Cell larger, Cell smaller, long now) {
        boolean smallerIsOver = smaller.life.isOver(now);
        if (larger.life.isOver(now) && !smallerIsOver) {
            return smaller.hasMoreThan(larger) ? larger : null;
        }
        boolean isAnother = smaller.life.number() != larger.life.number();
        boolean isApart = !larger.life.isOver(now) && smaller.life.isUnrelatedTo(larger.life);
        return smallerIsOver && (isAnother || isApart) ? smaller : null;
    }

    /// Whether the copy that was merged last lacks a part of the life or of the resets that are here now, and its node
    /// does not come to it by its clock alone.
    ///
    /// Nodes whose clocks differ may come to different ends: what one node has ended lives on at another that heard in
    /// time of a longer life. So such a copy has to be answered.
    public boolean otherLags() {
        return otherLags;
    }

    /// Whether something is reset here that `other` has not reset.
    private boolean hasResetsBeyond(Cell other) {
        int register = parts.find(Parts.REGISTER);
        return counts.hasResetsBeyond(other.counts)
                || (register >= 0 && !hasRegister() && other.parts.isBelow(parts, register));
    }

    /// Whether something lives here that `other` does not have, nor, for the register, anything newer.
    private boolean hasMoreThan(Cell other) {
        int register = hasRegister() ? parts.find(Parts.REGISTER) : -1;
        return counts.hasMoreThan(other.counts) || (register >= 0 && other.parts.isBelow(parts, register));
    }

    /// Whether no part contradicts itself.
    public boolean isWellFormed() {
        int register = parts.find(Parts.REGISTER);
        int token = parts.find(Parts.TOKEN);
        return counts.wellFormed()
                && (token < 0 || parts.length(token) == Token.LENGTH)
                && (register < 0
                        || (type() != CounterType.GCOUNT
                                && Register.isWellFormed(
                                        parts.array(), parts.offset(register), parts.length(register))));
    }
}
