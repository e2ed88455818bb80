package io.tallis.keyspace;

import io.tallis.runtime.Invariant;

/// What a stamp says: in which group of 16 frames a cell was last sent. An unsigned int, so that it costs four bytes
/// a cell; [#NEVER] for a cell that was not sent in this session.
///
/// There are stamps for 2^36 frames, which is 120 days of more than 6,000 frames of own changes a second. Who wants
/// to count on begins a new session, or forgets all stamps and numbers frames from 1 again.
final class Stamps {
    static final int NEVER = 0;

    private static final int GROUP_BITS = 4;
    private static final long LARGEST = (1L << Integer.SIZE) - 2;

    private Stamps() {}

    /// The stamp of a cell that was sent in this frame.
    static int of(long frame) {
        long stamp = group(frame);
        Invariant.check(frame > 0 && stamp <= LARGEST, "a frame that a stamp can tell");
        return (int) stamp;
    }

    /// The least stamp, unsigned, that a cell may have which was sent after this frame.
    static long leastAfter(long frame) {
        return group(Math.max(0, frame) + 1);
    }

    private static long group(long frame) {
        return (frame >>> GROUP_BITS) + 1;
    }
}
