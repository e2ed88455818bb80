package io.tallis.crdt;

/// The life of a cell: whether it has a deadline, and what two nodes need to know to agree on one.
///
/// A counter that never had a deadline has the empty life, which takes no byte anywhere.
///
/// Belongs to a [Cell]; see there for what happens at the deadline.
public final class Life {
    /*
     * The numbers
     * -----------
     *     number     raised when a key that has ended is used again, or assigned: lives of one key in their order
     *     version    raised by the first EXPIRE, and by whatever shortens the deadline or takes it away (PERSIST)
     *     outlived   number and version of the largest life that it, or a copy merged with it, has outlived, see below
     *     deadline   milliseconds since 1970, or NEVER
     *     first      the deadline that the life got first, or NEVER: an interval, for it may be one of several lives
     *     horizon    the latest deadline that any copy of the cell may claim, on any node and any disk
     *
     * Of two lives the larger (number, version, deadline) is the one to keep; NEVER is the smallest deadline here. So a
     * later EXPIRE to a later time needs no new version: of two nodes that extend a life at once, the longer extension
     * is kept. A shorter one or PERSIST wins over what it knew, by its version.
     *
     * When two copies are merged, and the larger life has ended and the smaller one has not, the smaller life stays in use
     * if its copy has counts that are not in the ended copy. It keeps its number and version: so an EXPIRE that was sent
     * before a message about the other life came still counts, and so does what other nodes count in it. It stores number
     * and version of the ended life as outlived. Its next number is counted from there, and so is its next version if the
     * number is the same.
     *
     * Of two lives of different numbers that have both ended, the larger number and version decide, of its own and those
     * it has outlived; where these are equal, the life of the smaller number is the larger, since it went on after the
     * other.
     *
     * Two nodes that are cut off from each other may begin lives of one number. Their first deadlines tell them apart when
     * one is over by the clock: an extension of it has its first deadline too. While both are alive they become one life,
     * whose first deadline is the interval from the earlier to the later one. So lives are unrelated if their intervals
     * have nothing in common. A third life that was begun apart, with a first deadline in between, passes for related.
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
    private long outlivedNumber;
    private long outlivedVersion;
    private long deadline = NEVER;
    private long earliestFirst = NEVER;
    private long latestFirst = NEVER;
    private long horizon = UNSET;

    /// Whether this node has ended the cell, see [Cell]. What other nodes say of that is of no account.
    private boolean ended;

    public void clear() {
        set(0, 0, NEVER, NEVER, NEVER, UNSET);
    }

    public void set(long number, long version, long deadline, long earliestFirst, long latestFirst, long horizon) {
        this.number = number;
        this.version = version;
        outlivedNumber = 0;
        outlivedVersion = 0;
        this.deadline = deadline;
        this.earliestFirst = earliestFirst;
        this.latestFirst = latestFirst;
        this.horizon = horizon;
        ended = false;
    }

    public void copyFrom(Life other) {
        set(other.number, other.version, other.deadline, other.earliestFirst, other.latestFirst, other.horizon);
        outlivedNumber = other.outlivedNumber;
        outlivedVersion = other.outlivedVersion;
        ended = other.ended;
    }

    /// Notes the number and version of a life that it outlives. Returns whether none so large was noted.
    public boolean outlive(long otherNumber, long otherVersion) {
        boolean isNew = outlivedNumber != otherNumber ? otherNumber > outlivedNumber : otherVersion > outlivedVersion;
        if (isNew) {
            outlivedNumber = otherNumber;
            outlivedVersion = otherVersion;
        }
        return isNew;
    }

    /// Whether the cell never had a deadline.
    public boolean isEmpty() {
        return number == 0 && version == 0 && deadline == NEVER && !hasOutlived();
    }

    public long number() {
        return number;
    }

    public long version() {
        return version;
    }

    /// The number of the largest life that it, or a copy that it met, has outlived; 0 if none.
    public long outlivedNumber() {
        return outlivedNumber;
    }

    /// The version of that life, 0 if there is none.
    public long outlivedVersion() {
        return outlivedVersion;
    }

    /// In milliseconds since 1970, or [#NEVER].
    public long deadline() {
        return deadline;
    }

    /// The earliest deadline that the life may have got first, or [#NEVER].
    public long earliestFirst() {
        return earliestFirst;
    }

    /// The latest deadline that the life may have got first, or [#NEVER].
    public long latestFirst() {
        return latestFirst;
    }

    /// Whether it, or a copy that it met, has outlived a larger life.
    public boolean hasOutlived() {
        return outlivedVersion != 0;
    }

    /// Whether the other one is the largest life that it, or a copy that it met, has outlived.
    public boolean hasOutlived(Life other) {
        return hasOutlived() && outlivedNumber == other.number && outlivedVersion == other.version;
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

    /// Whether the cell has ended here, and its counts, which are still there, count no more.
    public boolean isEnded() {
        return ended;
    }

    public void ended(boolean ended) {
        this.ended = ended;
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
            beginVersion();
        }
        deadline = newDeadline;
        noteFirst();
        horizon = Math.max(horizon, newDeadline);
    }

    /// The cell is deleted, and no copies exist anywhere else.
    public void endEverywhere(long now) {
        beginVersion();
        deadline = now;
        noteFirst();
        horizon = now;
    }

    private void beginVersion() {
        version = latestVersion(number) + 1;
    }

    /// The largest number that it has or has outlived.
    private long latestNumber() {
        return Math.max(number, outlivedNumber);
    }

    /// The largest version under this number that it has or has outlived.
    private long latestVersion(long ofNumber) {
        long own = number == ofNumber ? version : 0;
        return outlivedNumber == ofNumber ? Math.max(own, outlivedVersion) : own;
    }

    private void noteFirst() {
        if (latestFirst == NEVER) {
            earliestFirst = deadline;
            latestFirst = deadline;
        }
    }

    /// Takes the deadline away. From now on copies without one exist.
    public void persist() {
        beginVersion();
        deadline = NEVER;
        horizon = FOREVER;
    }

    /// Begins another life of the same key, without a deadline.
    public void beginAgain() {
        number = latestNumber() + 1;
        version = 0;
        outlivedNumber = 0;
        outlivedVersion = 0;
        deadline = NEVER;
        earliestFirst = NEVER;
        latestFirst = NEVER;
        ended = false;
    }

    /// Copies without a deadline may exist for ever.
    public void outlast() {
        if (!isEmpty()) {
            horizon = FOREVER;
        }
    }

    /// Whether this is the one to keep of the two.
    boolean exceeds(Life other, long now) {
        if (number == other.number) {
            return version != other.version ? version > other.version : isLongerThan(other);
        }
        if (!isOver(now) || !other.isOver(now)) {
            return number > other.number;
        }
        long latest = latestNumber();
        if (latest != other.latestNumber()) {
            return latest > other.latestNumber();
        }
        return latestVersion(latest) != other.latestVersion(latest)
                ? latestVersion(latest) > other.latestVersion(latest)
                : number < other.number;
    }

    private boolean isLongerThan(Life other) {
        return hasDeadline() && (!other.hasDeadline() || deadline > other.deadline);
    }

    /// Whether the two were begun apart, under one number.
    boolean isUnrelatedTo(Life other) {
        return number == other.number && (earliestFirst > other.latestFirst || other.earliestFirst > latestFirst);
    }

    /// Takes over the larger life, or with `rescue` the smaller one, whose deadline has not come. Returns whether
    /// anything is new.
    boolean merge(Life other, long now, boolean rescue) {
        boolean takesOther = other.exceeds(this, now) != rescue;
        Life kept = takesOther ? other : this;
        Life left = takesOther ? this : other;
        long newEarliest = kept.earliestFirst;
        long newLatest = kept.latestFirst;
        if (kept.joins(left, now)) {
            newEarliest = Math.min(kept.earliestFirst, left.earliestFirst);
            newLatest = kept.latestFirst == NEVER || left.latestFirst == NEVER
                    ? Math.min(kept.latestFirst, left.latestFirst)
                    : Math.max(kept.latestFirst, left.latestFirst);
        }
        boolean isNew = kept.number != number
                || kept.version != version
                || kept.deadline != deadline
                || newEarliest != earliestFirst
                || newLatest != latestFirst
                || other.horizon > horizon;
        isNew |= outlive(other.outlivedNumber, other.outlivedVersion);
        if (rescue) {
            isNew |= outlive(left.number, left.version);
        }
        number = kept.number;
        version = kept.version;
        deadline = kept.deadline;
        earliestFirst = newEarliest;
        latestFirst = newLatest;
        horizon = Math.max(horizon, other.horizon);
        return isNew;
    }

    /// Whether the life that is left behind becomes part of this one, which is kept.
    private boolean joins(Life left, long now) {
        boolean isAlive = !left.isOver(now) || isOver(now);
        return number == left.number && (isAlive || !isUnrelatedTo(left));
    }

    boolean sameAs(Life other) {
        return number == other.number
                && version == other.version
                && outlivedNumber == other.outlivedNumber
                && outlivedVersion == other.outlivedVersion
                && deadline == other.deadline
                && earliestFirst == other.earliestFirst
                && latestFirst == other.latestFirst
                && (isEmpty() || horizon == other.horizon);
    }
}
