package io.tallis.crdt;

/// The life of a cell: whether it has a deadline, and what two nodes need to know to agree on one.
///
/// A counter that never had a deadline has the empty life, which takes no byte anywhere.
///
/// Belongs to a [Cell]; see there for what happens at the deadline.
public final class Life {
    /*
     * Five numbers
     * ------------
     *     number     raised when a key that has ended is used again: lives of one key in their order
     *     version    raised by whatever shortens or takes away the deadline: PERSIST, EXPIRE to an earlier time
     *     deadline   milliseconds since 1970, or NEVER
     *     first      the earliest deadline that the life ever had, or NEVER
     *     horizon    the latest deadline that any copy of the cell may claim, on any node and any disk
     *
     * Of two lives the larger (number, version, deadline) is the one to keep; NEVER is the smallest deadline here. So a
     * later EXPIRE to a later time needs no new version: of two nodes that extend a life at once, the longer extension
     * is kept. A shorter one or PERSIST wins over what it knew, by its version.
     *
     * Two nodes that are cut off from each other may begin lives of one number. The first deadline tells them apart when
     * one is over by the clock and the other is not. If the latter is an extension of the former, it has had the former's
     * deadline, so its first deadline is no later. If its first deadline is later, it is unrelated to the former.
     *
     * The horizon says when a cell that has ended may be forgotten: no copy can come back that has not ended
     * too. It is FOREVER once a copy without deadline may lie on some disk: then the cell stays as a tombstone.
     */

    /// The deadline of a cell that has none.
    public static final long NEVER = Long.MAX_VALUE;

    /// The horizon of a cell of which copies without deadline may exist.
    public static final long FOREVER = Long.MAX_VALUE;

    /// The horizon of a cell that never had a deadline and of which no old copies exist.
    private static final long UNSET = Long.MIN_VALUE;

    private long number;
    private long version;
    private long deadline = NEVER;
    private long first = NEVER;
    private long horizon = UNSET;

    public void clear() {
        set(0, 0, NEVER, NEVER, UNSET);
    }

    public void set(long number, long version, long deadline, long first, long horizon) {
        this.number = number;
        this.version = version;
        this.deadline = deadline;
        this.first = first;
        this.horizon = horizon;
    }

    public void copyFrom(Life other) {
        set(other.number, other.version, other.deadline, other.first, other.horizon);
    }

    /// Whether the cell never had a deadline.
    public boolean isEmpty() {
        return number == 0 && version == 0 && deadline == NEVER;
    }

    public long number() {
        return number;
    }

    public long version() {
        return version;
    }

    /// In milliseconds since 1970, or [#NEVER].
    public long deadline() {
        return deadline;
    }

    /// The earliest deadline that the life ever had, or [#NEVER].
    public long first() {
        return first;
    }

    public boolean hasDeadline() {
        return deadline != NEVER;
    }

    public long horizon() {
        return horizon;
    }

    /// Whether there is a moment after which no copy of the cell lives.
    public boolean hasHorizon() {
        return horizon != UNSET && horizon != FOREVER;
    }

    /// Whether the deadline has come.
    public boolean isOver(long now) {
        return deadline <= now;
    }

    /// Whether every copy of the cell, wherever it is, has been over for `grace` milliseconds.
    public boolean isPast(long now, long grace) {
        return hasHorizon() && horizon <= now - grace;
    }

    /// Sets a deadline. `isYoung` says that the cell was made so lately that every copy of it will hear of this.
    public void expireAt(long newDeadline, boolean isYoung) {
        if (deadline == NEVER && !isYoung) {
            horizon = FOREVER;
        }
        if (deadline == NEVER || newDeadline < deadline) {
            version++;
        }
        deadline = newDeadline;
        first = Math.min(first, newDeadline);
        horizon = Math.max(horizon, newDeadline);
    }

    /// The cell is deleted, and no copies exist anywhere else.
    public void endEverywhere(long now) {
        version++;
        deadline = now;
        first = Math.min(first, now);
        horizon = now;
    }

    /// Takes the deadline away. From now on copies without one exist.
    public void persist() {
        version++;
        deadline = NEVER;
        horizon = FOREVER;
    }

    /// Begins another life of the same key, without a deadline.
    public void beginAgain() {
        number++;
        version = 0;
        deadline = NEVER;
        first = NEVER;
    }

    /// Copies without a deadline may exist for ever.
    public void outlast() {
        if (!isEmpty()) {
            horizon = FOREVER;
        }
    }

    /// Whether this is the one to keep of the two.
    boolean exceeds(Life other) {
        if (number != other.number) {
            return number > other.number;
        }
        if (version != other.version) {
            return version > other.version;
        }
        return deadline != other.deadline && hasDeadline() && (!other.hasDeadline() || deadline > other.deadline);
    }

    /// Whether `over`, which is smaller and over by the clock, has ended: this is another life, and no extension of it.
    boolean isAfter(Life over) {
        return number > over.number || isUnrelatedTo(over);
    }

    /// The same for a life of the same number.
    boolean isUnrelatedTo(Life over) {
        return number == over.number && first > over.deadline;
    }

    /// Takes over what is larger. With `rescue`, the deadline of the smaller one is kept, which has not come.
    boolean merge(Life other, long now, boolean rescue) {
        boolean otherIsLarger = other.exceeds(this);
        Life larger = otherIsLarger ? other : this;
        Life smaller = otherIsLarger ? this : other;
        Life kept = rescue ? smaller : larger;
        long newDeadline = kept.deadline;
        long newFirst = kept.firstBeside(rescue ? larger : smaller, now);
        long newHorizon = Math.max(horizon, other.horizon);
        boolean changed = larger.number != number
                || larger.version != version
                || newDeadline != deadline
                || newFirst != first
                || newHorizon != horizon;
        set(larger.number, larger.version, newDeadline, newFirst, newHorizon);
        return changed;
    }

    private long firstBeside(Life other, long now) {
        if (number < other.number) {
            return deadline; // its first one under that number
        }
        boolean isSame = number == other.number && !(other.isOver(now) && isUnrelatedTo(other));
        return isSame ? Math.min(first, other.first) : first;
    }

    boolean sameAs(Life other) {
        return number == other.number
                && version == other.version
                && deadline == other.deadline
                && first == other.first
                && (isEmpty() || horizon == other.horizon);
    }
}
