package io.tallis.journal.log;

import io.tallis.journal.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/// The file that the journal is being written to.
///
/// One thread writes at a time, others may sync meanwhile. A failed sync makes the segment *suspect* for good: what was
/// written since the last good one must be written elsewhere, whatever a later sync says, since the system reports a
/// lost page to one sync only. For the same reason syncs run one after the other.
public final class Segment {
    private final SegmentHead head;
    private final DiskFile file;
    private final long capacity;

    private long written;
    private volatile long complete;
    private volatile long durable;
    private volatile boolean suspect;

    /// A segment whose first `durable` bytes are safely on the disk.
    public Segment(SegmentHead head, DiskFile file, long capacity, long durable) {
        this.head = head;
        this.file = file;
        this.capacity = capacity;
        written = durable;
        complete = durable;
        this.durable = durable;
    }

    /// A segment of the former process, which ends at `end` and takes nothing more.
    static Segment ended(SegmentHead head, long end) {
        return new Segment(head, Nowhere.FILE, end, end);
    }

    long number() {
        return head.number();
    }

    LogFrame.Stamp stamp() {
        return new LogFrame.Stamp(head.number(), head.salt(), durable);
    }

    /// The preallocated size of the file.
    long capacity() {
        return capacity;
    }

    /// Where the next byte belongs. For the thread that writes.
    long written() {
        return written;
    }

    /// How far whole frames have been written.
    long complete() {
        return complete;
    }

    /// All before this offset, the end of a frame, survives any crash.
    long durable() {
        return durable;
    }

    boolean suspect() {
        return suspect;
    }

    /// Writes the bytes that remain, to the end of a frame. A failure may have written some of them: [#written] says
    /// how many, and the rest may be written again over whatever stands there.
    public void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            int wrote = file.write(bytes, written);
            if (wrote <= 0) {
                throw new IOException("the disk took no byte");
            }
            written += wrote;
        }
        complete = written;
    }

    synchronized void sync() throws IOException {
        if (suspect) {
            throw new IOException("an earlier sync of this segment failed");
        }
        long end = complete;
        if (end == durable) {
            return;
        }
        try {
            file.sync();
        } catch (IOException e) {
            suspect = true;
            throw e;
        }
        durable = end;
    }

    void close() throws IOException {
        file.close();
    }

    /// The file of a segment that takes nothing more.
    private enum Nowhere implements DiskFile {
        FILE;

        @Override
        public int write(ByteBuffer bytes, long position) throws IOException {
            throw new IOException("the segment has ended");
        }

        @Override
        public int read(ByteBuffer bytes, long position) {
            return -1;
        }

        @Override
        public long size() {
            return 0;
        }

        @Override
        public void sync() {}

        @Override
        public void close() {}
    }
}
