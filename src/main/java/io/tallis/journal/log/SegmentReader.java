package io.tallis.journal.log;

import io.tallis.journal.disk.DamagedException;
import io.tallis.journal.disk.Disk;
import io.tallis.journal.disk.DiskFile;
import io.tallis.journal.disk.Failures;
import io.tallis.wire.ByteReader;
import io.tallis.wire.MalformedException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/// The reader of one segment, for a start or a backup: shows its rows frame by frame, and trusts only frames whose
/// checksum is right.
public final class SegmentReader implements Closeable {
    private static final int WINDOW_BYTES = 1 << 20;

    private final long number;
    private final String path;
    private final DiskFile file;
    private final long size;
    private final ByteReader payload = new ByteReader();
    private final SegmentHead head;

    /// The bytes of the file from `windowStart` on, as many as its limit says.
    private ByteBuffer window;

    private byte[] windowBytes;

    private long windowStart;
    private long offset;
    private long nextOffset;
    private long durableMark;

    private SegmentReader(long number, String path, DiskFile file) throws IOException {
        this.number = number;
        this.path = path;
        this.file = file;
        size = file.size();
        windowBytes = new byte[(int) Math.min(size, WINDOW_BYTES)];
        window = windowOn(windowBytes).limit(0);
        head = readHead();
    }

    /// Opens a segment and reads its head. Fails with [DamagedException] if it has none.
    public static SegmentReader open(Segments segments, long number) throws IOException {
        DiskFile file = segments.open(number);
        try {
            return new SegmentReader(number, segments.describe(number), file);
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    /// Where a segment with a successor ends.
    public static long endOf(Segments segments, long number) throws IOException {
        try (SegmentReader successor = open(segments, number + 1)) {
            return successor.head().previousEnd();
        }
    }

    private SegmentHead readHead() throws IOException {
        if (!frameAt(0, LogFrame.HEAD, LogFrame.NO_SALT)) {
            throw damaged("no head of segment " + number + " at offset 0");
        }
        nextOffset = windowStart + payload.position() + payload.remaining();
        try {
            return SegmentHead.decode(number, payload);
        } catch (MalformedException e) {
            throw new DamagedException(path + ": " + e.getMessage(), e);
        } catch (IOException e) {
            throw new IOException(path + ": " + e.getMessage(), e);
        }
    }

    public SegmentHead head() {
        return head;
    }

    /// Fails with [DamagedException] if the file is shorter than it was made.
    public void requireFullSize() throws DamagedException {
        if (size < head.fileBytes()) {
            throw damaged("has " + size + " bytes of " + head.fileBytes() + ": its end is gone");
        }
    }

    /// Goes to the next frame. Returns false if what follows is no frame; [#offset] is then where it should be.
    public boolean next() throws IOException {
        offset = nextOffset;
        if (!frameAt(offset, LogFrame.ROWS, head.salt())) {
            return false;
        }
        nextOffset = payload.position() + payload.remaining() + windowStart;
        return true;
    }

    /// Goes to each frame up to `end`. Fails with [DamagedException] unless a frame ends there.
    public void eachTo(long end, Disk.Task task) throws IOException {
        while (nextOffset < end && next()) {
            task.run();
        }
        if (nextOffset != end) {
            throw damaged("damaged at offset " + nextOffset + ", expected frames up to " + end);
        }
    }

    /// Where the present frame begins, or the next one should.
    public long offset() {
        return offset;
    }

    /// Where the frame behind the present one begins.
    long nextOffset() {
        return nextOffset;
    }

    /// The rows of the present frame.
    public ByteReader rows() {
        return payload;
    }

    /// What stands behind the end of this segment: whether an incomplete frame begins right there, how many complete
    /// ones of this segment stand anywhere behind, and the highest durable mark of those.
    public record Tail(boolean torn, int whole, long highestMark) {
        public boolean isEmpty() {
            return !torn && whole == 0;
        }
    }

    /// Searches from `end` to the end of the file.
    public Tail tailFrom(long end) throws IOException {
        int whole = 0;
        long highest = 0;
        long first = nextMagic(end);
        for (long at = first; at < size; at = nextMagic(at + 1)) {
            if (frameAt(at, LogFrame.ROWS, head.salt())) {
                whole++;
                highest = Math.max(highest, durableMark);
            }
        }
        return new Tail(first == end && first < size, whole, highest);
    }

    /// Where the magic of a frame stands next, at any offset. There may be megabytes of zeros before it, or frames of
    /// the segment that the file was before.
    private long nextMagic(long from) throws IOException {
        int magic = LogFrame.magic(head.salt());
        for (long at = from; at + LogFrame.HEADER <= size; ) {
            int first = require(at, LogFrame.HEADER);
            int last = window.limit() - LogFrame.HEADER;
            for (int i = first; i <= last; i++) {
                if (window.getInt(i) == magic) {
                    return windowStart + i;
                }
            }
            at = windowStart + last + 1;
        }
        return size;
    }

    /// Whether a frame of this kind and segment stands there; if so, `payload` and `durableMark` are set from it.
    private boolean frameAt(long at, int kind, long salt) throws IOException {
        if (size - at < LogFrame.HEADER) {
            return false;
        }
        int start = require(at, LogFrame.HEADER);
        int length = window.getInt(start + LogFrame.LENGTH_AT);
        if (window.getInt(start) != LogFrame.magic(salt)
                || window.getInt(start + LogFrame.KIND_AT) != kind
                || window.getLong(start + LogFrame.SEGMENT_AT) != number
                || length < 0
                || length > size - at - LogFrame.HEADER) {
            return false;
        }
        start = require(at, LogFrame.HEADER + length);
        int end = start + LogFrame.HEADER + length;
        int crc = LogFrame.crc(window.duplicate().limit(end).position(start + LogFrame.LENGTH_AT), salt);
        if (crc != window.getInt(start + LogFrame.CRC_AT)) {
            return false;
        }
        durableMark = window.getLong(start + LogFrame.DURABLE_AT);
        payload.on(windowBytes, start + LogFrame.HEADER, length);
        return true;
    }

    private static ByteBuffer windowOn(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /// Loads these bytes of the file into the window. Returns where they begin in it.
    private int require(long at, int length) throws IOException {
        if (at < windowStart || at + length > windowStart + window.limit()) {
            if (window.capacity() < length) {
                windowBytes = new byte[length];
                window = windowOn(windowBytes);
            }
            windowStart = at;
            window.clear();
            while (window.hasRemaining() && file.read(window, at + window.position()) > 0) {}
            window.flip();
            if (window.limit() < length) {
                throw damaged("ends at offset " + (at + window.limit()) + " though it has " + size + " bytes");
            }
        }
        return (int) (at - windowStart);
    }

    /// Makes everything before `end` durable, including what the former process wrote.
    ///
    /// A sync alone would not do: had one failed in the former process, the system would take the pages for clean. So
    /// what stands behind the highest durable mark is written again.
    public void makeDurable(long end) throws IOException {
        try {
            writeAgain(Math.min(durableMark, end), end);
            file.sync();
        } catch (DamagedException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(path + " cannot be written: " + Failures.reason(e), e);
        }
    }

    private void writeAgain(long start, long end) throws IOException {
        long from = start;
        while (from < end) {
            int length = (int) Math.min(WINDOW_BYTES, end - from);
            int at = require(from, length);
            ByteBuffer bytes = window.duplicate().limit(at + length).position(at);
            while (bytes.hasRemaining()) {
                from += file.write(bytes, from);
            }
        }
    }

    public DamagedException damaged(String what) {
        return new DamagedException(path + ": " + what);
    }

    /// A place in it, for people.
    public String at(long offset) {
        return "offset " + offset + " of " + path;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
