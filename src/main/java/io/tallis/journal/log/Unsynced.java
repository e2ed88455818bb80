package io.tallis.journal.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;

/// The frames that are not synced yet, in memory outside the heap.
///
/// Rows are gathered here into frames and written from here, and stay until a sync has succeeded after their write:
/// after a failed sync the page cache must not be trusted, and these bytes are written again elsewhere. Memory is used
/// in blocks; a row that is larger than a block gets one of its own. The writer bounds it: it syncs when [#memory]
/// reaches its limit. Belongs to the [LogWriter].
final class Unsynced {
    /// The size of a block, and about that of the largest frame made of several turns.
    static final int BLOCK_BYTES = 1 << 19;

    private static final int NONE = -1;

    private final ArrayDeque<Block> blocks = new ArrayDeque<>();
    private final ArrayDeque<ByteBuffer> spares = new ArrayDeque<>();
    private int open = NONE;
    private long end;
    private long memory;

    /// Says where in the segment the next frame belongs. Nothing may be held.
    void startAt(long offset) {
        end = offset;
    }

    /// The offset in the segment behind the last sealed frame.
    long end() {
        return end;
    }

    /// How many bytes are held, including the frame that is being gathered.
    long bytes() {
        if (blocks.isEmpty()) {
            return 0;
        }
        Block newest = blocks.getLast();
        return newest.offset + newest.end - blocks.getFirst().offset;
    }

    /// How many bytes the blocks in use take. Blocks are kept for use again, so this was also the most at once.
    long memory() {
        return memory;
    }

    /// How far the frame being gathered would reach in the segment with `length` more bytes.
    long endWith(int length) {
        return (open == NONE ? end + LogFrame.HEADER : end + blocks.getLast().end - open) + length;
    }

    /// Adds rows to the frame that is being gathered. Frames that are full are sealed with `stamp`.
    void add(byte[] rows, int length, LogFrame.Stamp stamp) {
        if (open != NONE && blocks.getLast().room() < length) {
            seal(stamp);
        }
        if (open == NONE) {
            open(LogFrame.HEADER + length);
        }
        Block block = blocks.getLast();
        block.bytes.clear().position(block.end);
        block.bytes.put(rows, 0, length);
        block.end += length;
    }

    private void open(int needed) {
        if (blocks.isEmpty() || blocks.getLast().room() < needed) {
            blocks.add(new Block(takeSpare(needed), end));
        }
        Block block = blocks.getLast();
        open = block.end;
        block.end += LogFrame.HEADER;
    }

    /// Adds a frame without rows.
    void addEmpty(LogFrame.Stamp stamp) {
        seal(stamp);
        open(LogFrame.HEADER);
        seal(stamp);
    }

    /// Ends the frame that is being gathered, if one is.
    void seal(LogFrame.Stamp stamp) {
        if (open != NONE) {
            Block block = blocks.getLast();
            LogFrame.seal(block.bytes, open, block.end, LogFrame.ROWS, stamp);
            end += block.end - open;
            open = NONE;
        }
    }

    /// Writes the sealed frames that the segment does not have yet.
    void writeTo(Segment segment) throws IOException {
        if (segment.written() == end) {
            return;
        }
        if (segment.written() >= blocks.getLast().offset) {
            write(blocks.getLast(), segment);
            return;
        }
        for (Block block : blocks) {
            if (segment.written() < block.offset + block.end) {
                write(block, segment);
            }
        }
    }

    private static void write(Block block, Segment segment) throws IOException {
        int from = (int) (segment.written() - block.offset);
        block.bytes.clear().position(from).limit(block.end);
        segment.write(block.bytes);
    }

    /// Lets go of the frames before `durable`.
    void release(long durable) {
        while (!blocks.isEmpty()) {
            Block oldest = blocks.getFirst();
            if ((open != NONE && blocks.size() == 1) || oldest.offset + oldest.end > durable) {
                return;
            }
            giveBack(blocks.removeFirst());
        }
    }

    /// Lets go of what stands before `offset`, which is the end of a frame.
    void dropBefore(long offset) {
        release(offset);
        Block oldest = blocks.peek();
        if (oldest != null && oldest.offset < offset) {
            oldest.dropBefore((int) (offset - oldest.offset));
        }
    }

    /// Changes all frames that are held, which must be sealed, into frames of another segment, from `offset` on.
    void moveTo(LogFrame.Stamp stamp, long offset) {
        end = offset;
        for (Block block : blocks) {
            block.offset = end;
            for (int at = 0; at < block.end; ) {
                block.bytes.clear();
                int frameEnd = at + LogFrame.HEADER + block.bytes.getInt(at + LogFrame.LENGTH_AT);
                LogFrame.stamp(block.bytes, at, frameEnd, stamp);
                at = frameEnd;
            }
            end += block.end;
        }
    }

    private ByteBuffer takeSpare(int needed) {
        int size = Math.max(needed, BLOCK_BYTES);
        ByteBuffer spare = size == BLOCK_BYTES ? spares.poll() : null;
        memory += size;
        return spare != null ? spare : ByteBuffer.allocateDirect(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    private void giveBack(Block block) {
        memory -= block.bytes.capacity();
        if (block.bytes.capacity() == BLOCK_BYTES) {
            spares.push(block.bytes);
        }
    }

    /// Some frames that follow each other.
    private static final class Block {
        private final ByteBuffer bytes;
        private long offset;
        private int end;

        Block(ByteBuffer bytes, long offset) {
            this.bytes = bytes;
            this.offset = offset;
        }

        int room() {
            return bytes.capacity() - end;
        }

        void dropBefore(int from) {
            bytes.clear().position(from).limit(end);
            bytes.compact();
            offset += from;
            end -= from;
        }
    }
}
