package io.tallis.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// All requests that clients sent about one counter, and the check of every value that it is seen to have.
///
/// Addition number i adds or subtracts 4^i and no other does, so a value tells which additions are in it: a digit that
/// is neither 0 nor 1 was counted twice or was never sent. `DEL` and `SET` are resets: a reset removes the additions
/// that its node has seen and no others. Which those are is certain in most cases:
///
///     seen by a request      acknowledged before it was sent, by the same node with the same data, or by any node if
///                            `WAIT` then replied that all nodes have it
///     not seen by a request  sent after it was acknowledged
///     uncertain              everything else: in flight at the same time, not replicated yet, or lost with the
///                            directory of its node
///
/// A value is wrong if it has an addition that was refused or not yet sent, or one that a reset had seen, if the reader
/// has seen that reset; or if it lacks an addition that the reader has seen and no reset can have removed.
///
/// Thread-safe.
final class History {
    /// As many powers of four as a counter has room for.
    static final int MOST_ADDITIONS = 31;

    private static final int BASE = 4;

    private final String key;
    private final long clocksDifferNanos;
    private final List<Change> changes = new ArrayList<>();
    private int additions;

    /// Of two assignments of which neither node has seen the other, the one counts that is later by the clock of its
    /// node, which two clocks may see otherwise by `clocksDifferNanos`.
    History(String key, long clocksDifferNanos) {
        this.key = key;
        this.clocksDifferNanos = clocksDifferNanos;
    }

    String key() {
        return key;
    }

    /// What a client does in one step. A read is a request without changes; a transaction has several.
    static final class Request {
        /// Numbers of the node and of its data directory, which is another one after its data was replaced.
        private final int node;

        private final int dataGeneration;
        private final long sent;
        private volatile long answered = Long.MAX_VALUE;
        private volatile boolean refused;
        private volatile @Nullable Everywhere everywhere;
        private volatile boolean agreed;
        private volatile boolean lost;

        Request(int node, int dataGeneration, long sent) {
            this.node = node;
            this.dataGeneration = dataGeneration;
            this.sent = sent;
        }

        void acknowledged(long now) {
            answered = now;
        }

        /// An error was replied, so the changes never happen.
        void refused() {
            refused = true;
        }

        /// From `now` on, all nodes with these generations of data have the changes of the request.
        void onAllNodes(long now, List<Integer> dataGenerations) {
            everywhere = new Everywhere(now, dataGenerations);
        }

        /// All nodes have agreed since it was acknowledged.
        private void agreed() {
            agreed = answered < Long.MAX_VALUE && !lost;
        }

        /// Whether this may be in `directory` and nowhere else.
        private boolean isOnlyIn(Directory directory) {
            return new Directory(node, dataGeneration).equals(directory) && everywhere == null && !agreed && !lost;
        }

        /// Whether all nodes have it when they agree.
        private boolean isKept() {
            return answered < Long.MAX_VALUE && !lost;
        }

        /// Whether the node of `reader` had the changes of this request when it was sent.
        private boolean isSeenBy(Request reader) {
            Everywhere all = everywhere;
            boolean sameData = node == reader.node && dataGeneration == reader.dataGeneration;
            return this == reader
                    || (sameData && answered < reader.sent)
                    || (all != null
                            && all.since < reader.sent
                            && all.dataGenerations.get(reader.node) == reader.dataGeneration);
        }
    }

    private record Everywhere(long since, List<Integer> dataGenerations) {}

    /// An addition, a reset, or a reset followed by an addition (`SET`). `sign` is 0 where nothing is added.
    private record Change(Request request, int position, boolean resets, int digit, int sign) {
        /// Whether this is an addition that the reset certainly removed, if that was executed.
        boolean isRemovedBy(Change reset) {
            return request == reset.request ? position < reset.position : request.isSeenBy(reset.request);
        }

        /// Whether the reset can have removed this addition. A reset does not remove what its own `SET` adds.
        boolean mayBeRemovedBy(Change reset, long clocksDifferNanos) {
            if (request == reset.request) {
                return position < reset.position;
            }
            boolean byClocks = isAssignment() && reset.isAssignment();
            return !reset.request.refused && reset.request.answered > request.sent - (byClocks ? clocksDifferNanos : 0);
        }

        private boolean isAssignment() {
            return resets && sign != 0;
        }
    }

    /// Adds the next power of four, or subtracts it, after a reset if `resets`. Returns the amount; empty if the
    /// history is full. To be called before the request is sent.
    synchronized Optional<Long> add(Request request, boolean resets, boolean negative) {
        if (additions == MOST_ADDITIONS) {
            return Optional.empty();
        }
        int digit = additions++;
        int sign = negative ? -1 : 1;
        changes.add(new Change(request, changes.size(), resets, digit, sign));
        return Optional.of(sign * (1L << (2 * digit)));
    }

    synchronized void reset(Request request) {
        changes.add(new Change(request, changes.size(), true, -1, 0));
    }

    /// Checks a value that `reader` was answered. Returns what is wrong with it.
    synchronized Optional<String> check(Request reader, long value) {
        return check(value, reader.answered, request -> request.isSeenBy(reader));
    }

    /// Checks the value when all nodes agree, no request is in flight, and each node has what any of them has.
    synchronized Optional<String> checkAgreed(long value) {
        return check(value, Long.MAX_VALUE, Request::isKept);
    }

    /// All nodes agree: what was acknowledged until now outlasts any directory.
    synchronized void agreed() {
        changes.forEach(change -> change.request.agreed());
    }

    /// The directory is lost: what was acknowledged there, and is not known to be elsewhere, may have been seen or not.
    /// Returns how many changes that are.
    synchronized int lose(Directory directory) {
        List<Change> only = changes.stream()
                .filter(change -> change.request.isOnlyIn(directory))
                .toList();
        only.forEach(change -> change.request.lost = true);
        return only.size();
    }

    private interface Seen {
        boolean by(Request request);
    }

    private Optional<String> check(long value, long until, Seen reader) {
        long rest = value;
        for (Change change : changes) {
            if (change.sign == 0) {
                continue;
            }
            long digit = Math.floorMod(rest * change.sign, BASE);
            if (digit > 1) {
                return wrong(value, change, "counted " + digit + " times, or more was counted than was sent");
            }
            rest = (rest - digit * change.sign) / BASE;
            Optional<String> fault =
                    digit == 1 ? presenceFault(change, until, reader) : absenceFault(change, until, reader);
            if (fault.isPresent()) {
                return wrong(value, change, fault.get());
            }
        }
        return rest == 0 ? Optional.empty() : Optional.of(key + " is " + value + ": more was counted than was sent");
    }

    private Optional<String> presenceFault(Change addition, long until, Seen reader) {
        if (addition.request.refused) {
            return Optional.of("counted, but it was refused");
        }
        if (addition.request.sent > until) {
            return Optional.of("counted before it was sent");
        }
        boolean removed = changes.stream()
                .anyMatch(reset -> reset.resets && addition.isRemovedBy(reset) && reader.by(reset.request));
        return removed ? Optional.of("counted, but a reset had removed it") : Optional.empty();
    }

    private Optional<String> absenceFault(Change addition, long until, Seen reader) {
        if (addition.request.refused || !reader.by(addition.request)) {
            return Optional.empty();
        }
        boolean mayBeRemoved = changes.stream()
                .anyMatch(reset -> reset.resets
                        && reset.request.sent < until
                        && addition.mayBeRemovedBy(reset, clocksDifferNanos));
        return mayBeRemoved ? Optional.empty() : Optional.of("acknowledged, but not counted");
    }

    private Optional<String> wrong(long value, Change change, String fault) {
        return Optional.of(key + " is " + value + ": addition " + change.digit + " by node-" + change.request.node
                + " (" + change.sign * (1L << (2 * change.digit)) + ") is " + fault);
    }
}
