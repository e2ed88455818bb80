package io.tallis.keyspace;

/// What `INCREX` asks for: to add `delta` if the value stays between two bounds, or else, if it `saturates`, to go to
/// the bound; and to set a deadline.
///
/// `deadline` is [Counters#KEEP], [io.tallis.crdt.Life#NEVER] to take it away, or the new one; if `onlyIfUndated`, only
/// for a counter that has none.
public record Step(
        long delta,
        long lowest,
        long highest,
        boolean saturates,
        boolean onlyIfMissing,
        boolean onlyIfPresent,
        boolean onlyIfUndated,
        long deadline) {

    boolean skips(boolean exists) {
        return exists ? onlyIfMissing : onlyIfPresent;
    }

    /// Whether the value to come from `before` is between the bounds, and has 64 bits.
    boolean fits(long before) {
        long after = before + delta;
        return after >= lowest && after <= highest && !overflows(before);
    }

    private boolean overflows(long before) {
        long after = before + delta;
        return ((before ^ after) & (delta ^ after)) < 0;
    }

    /// The bound to go to from `before`, from where the step does not fit.
    long bound(long before) {
        boolean isBelow = overflows(before) ? delta < 0 : before + delta < lowest;
        return isBelow ? lowest : highest;
    }
}
