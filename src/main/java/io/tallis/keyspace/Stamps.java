package io.tallis.keyspace;

import io.tallis.runtime.Invariant;

/// What a stamp says: in which group of 16 frames a cell was last sent. An unsigned int, so that it costs four bytes
/// a cell; [#NEVER] for a cell that was not sent in this session.
///
/// There are stamps for 2^36 frames, which is 120 days of more than 6,000 frames of own changes a second. Frames
/// beyond all have the largest stamp, so that who asks for some of them gets too much, and never too little.
final class Stamps {
    static final int NEVER = 0;

    private static final int GROUP_BITS = 4;
    private static final long LARGEST = (1L << Integer.SIZE) - 2;

    private Stamps() {}

    /// The stamp of a cell that was sent in this frame.
    static int of(long frame) {
        Invariant.check(frame > 0, "frames are numbered from 1 on");
        return (int) Math.min(LARGEST, group(frame));
    }

    /// The least stamp, unsigned, that a cell may have which was sent after this frame.
    static long leastAfter(long frame) {
        return Math.min(LARGEST, group(Math.max(0, frame) + 1));
    }

    private static long group(long frame) {
        return (frame >>> GROUP_BITS) + 1;
    }
}
