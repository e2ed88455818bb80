package io.tallis.journal.log;

import io.tallis.crdt.ReplicaId;
import io.tallis.journal.disk.Failures;
import io.tallis.runtime.Randomness;
import io.tallis.wire.ByteWriter;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.AccessDeniedException;

/// The writing end of the journal: appends rows to the present segment, and goes on in a new one when that is full, has
/// failed, or a checkpoint wants a border.
///
/// Belongs to the thread that does a round of [JournalLoop]. Any thread may call [#sync] and the methods that only ask.
public final class LogWriter {
    /*
     * Going on in a new segment
     * -------------------------
     * A segment is left because it is full, because a checkpoint wants a border, or because it failed. It is always the
     * same steps:
     *
     *     1  write what is sealed, and sync; a failure of either only means that more is carried over
     *     2  take a file, write the head: "segment n+1; segment n ends at D", D being where the last good sync ended
     *     3  write behind it all frames of segment n from D on, from memory (none if 1 went well)
     *     4  sync the file, give it its name, sync the directory
     *
     * Until the file is renamed a start does not look at it, so a failure changes nothing on the disk, and the next
     * attempt takes another file. But frames that were carried are frames of segment n+1 by then, in memory, and from
     * the rename on a crash may find segment n+1 and ignore what is in segment n behind D. So from step 3 with frames
     * to carry, and from the rename in any case, nothing may be added to segment n: the writer is *stranded* until an
     * attempt succeeds. Each attempt makes segment n+1 anew, with at least what the one before carried; a rename
     * replaces.
     *
     * So every segment with a successor is durable up to its end before the successor exists, whatever failed.
     */

    /// What may wait for a sync; the writer syncs by itself when it is reached, whatever the policy. Bounds the memory
    /// of [Unsynced].
    static final long UNSYNCED_LIMIT = 1 << 26;

    private static final long TIMES_APART_MILLIS = 1_000;

    private final Segments segments;
    private final ReplicaId session;
    private final Randomness randomness;
    private final Unsynced unsynced = new Unsynced();
    private final ByteWriter timeRow = new ByteWriter(TimeRow.BYTES);

    /// What the last [TimeRow] says, and the segment that it is in.
    private long toldMillis;

    private long toldIn;

    private volatile Segment segment;
    private volatile boolean stranded;
    private volatile long closedBytes;

    /// The end of the last frame without rows in this segment; 0 if there is none.
    private volatile long markedTo;

    /// Begins segment `number`; the segment before ends at `previousEnd`.
    ///
    /// On a disk that is full or fails the writer begins stranded, without a segment: a node can serve reads from such
    /// a disk. Fails only if this process has no right to write the files.
    public LogWriter(Segments segments, ReplicaId session, Randomness randomness, long number, long previousEnd)
            throws IOException {
        this.segments = segments;
        this.session = session;
        this.randomness = randomness;
        segment = Segment.ended(new SegmentHead(number - 1, LogFrame.NO_SALT, session, 0), previousEnd);
        closedBytes = -previousEnd;
        unsynced.startAt(previousEnd);
        stranded = true;
        try {
            moveOn();
        } catch (AccessDeniedException e) {
            throw e;
        } catch (IOException _) {
            // The next flush meets the same failure, and reports it.
        }
    }

    /// Whether rows of `length` bytes may be added to this segment; a segment without rows takes any.
    boolean fits(int length) {
        return unsynced.end() == SegmentHead.BYTES || unsynced.endWith(length + TimeRow.BYTES) <= segment.capacity();
    }

    /// Whether the present segment is as good as a new one: it has no rows.
    boolean isFresh() {
        return !broken() && unsynced.end() == SegmentHead.BYTES;
    }

    /// Says when the rows that are added next were recorded, unless that was said lately.
    void addTime(long epochMillis) {
        long since = epochMillis - toldMillis;
        if (toldIn == segment.number() && since >= 0 && since < TIMES_APART_MILLIS) {
            return;
        }
        toldMillis = epochMillis;
        toldIn = segment.number();
        timeRow.clear();
        TimeRow.write(epochMillis, timeRow);
        add(timeRow.array(), TimeRow.BYTES);
    }

    /// Gathers rows, to be written by the next [#flush]. They are kept until they are safe.
    void add(byte[] rows, int length) {
        unsynced.add(rows, length, segment.stamp());
    }

    /// Writes all that was added, and syncs when too much is not synced.
    void flush() throws IOException {
        if (stranded || segment.suspect()) {
            moveOn();
            return;
        }
        write();
        if (unsynced.memory() > UNSYNCED_LIMIT) {
            segment.sync();
            unsynced.release(segment.durable());
        }
    }

    /// Writes all that was added to the present segment, which must be [#isReadyFor] it, and does nothing else.
    void write() throws IOException {
        unsynced.seal(segment.stamp());
        unsynced.writeTo(segment);
        unsynced.release(segment.durable());
    }

    /// Returns when all that was written before will survive a crash. After a failure only [#moveOn] helps.
    public void sync() throws IOException {
        segment.sync();
    }

    /// Whether all that was written is on the disk, but no frame has a durable mark that says so: a start would take
    /// damage to the last frames for a write that was cut short. Any thread may ask.
    public boolean needsDurableMark() {
        Segment present = segment;
        long end = present.complete();
        return end > SegmentHead.BYTES
                && end == present.durable()
                && end != markedTo
                && end + LogFrame.HEADER <= present.capacity();
    }

    /// Writes a frame without rows whose durable mark says that all before it is on the disk, if one is wanted.
    void writeDurableMark() throws IOException {
        if (needsDurableMark() && !broken()) {
            unsynced.addEmpty(segment.stamp());
            write();
            markedTo = segment.complete();
        }
    }

    /// How many bytes of the present segment have room on the disk and are not used.
    long room() {
        Segment present = segment;
        return present.capacity() - present.complete();
    }

    /// Whether rows of so many bytes, a frame or two, can be written with nothing else to be done first.
    boolean isReadyFor(int bytes) {
        Segment present = segment;
        return present.capacity() - present.complete() > bytes + TimeRow.BYTES + 2 * LogFrame.HEADER && !broken();
    }

    /// How many bytes have been written to this and earlier segments since the start.
    public long bytesWritten() {
        return closedBytes + segment.complete();
    }

    /// How many bytes of those may not survive a crash.
    public long bytesAtRisk() {
        Segment present = segment;
        return present.complete() - present.durable();
    }

    /// How far the journal is safely on the disk.
    public Synced synced() {
        Segment present = segment;
        return new Synced(present.number(), present.durable());
    }

    /// All before this offset of this segment survives any crash, and all segments before it.
    public record Synced(long segment, long offset) {}

    public long segmentNumber() {
        return segment.number();
    }

    /// Whether the segment cannot be trusted with more.
    public boolean broken() {
        return stranded || segment.suspect();
    }

    /// Goes on in a new segment, with all that the present one does not surely have. Then all is durable.
    public void moveOn() throws IOException {
        unsynced.seal(segment.stamp());
        finishSegment();
        Segment old = segment;
        if (!stranded) {
            unsynced.dropBefore(old.durable());
            stranded = unsynced.bytes() > 0;
        }
        segment = begin(old.number() + 1, old.durable());
        long closed = closedBytes;
        closedBytes = closed + old.durable();
        markedTo = 0;
        close(old);
    }

    private void finishSegment() {
        try {
            if (!broken()) {
                unsynced.writeTo(segment);
                segment.sync();
            }
        } catch (IOException e) {
            Failures.LOG.log(
                    Level.WARNING, "leaving segment " + segment.number() + " before its end: " + Failures.reason(e));
        }
    }

    private Segment begin(long number, long previousEnd) throws IOException {
        SegmentHead head = new SegmentHead(number, randomness.nextLong(), session, previousEnd);
        Segments.Begun begun = segments.begin(head);
        try {
            if (unsynced.bytes() > 0) {
                unsynced.moveTo(begun.segment().stamp(), SegmentHead.BYTES);
                unsynced.writeTo(begun.segment());
            }
            begun.segment().sync();
        } catch (IOException e) {
            segments.abandon(begun);
            throw e;
        }
        publish(begun);
        unsynced.release(begun.segment().durable());
        unsynced.startAt(begun.segment().durable());
        return begun.segment();
    }

    /// After a failure a start may see the segment or not, so nothing may be added to the one before.
    private void publish(Segments.Begun begun) throws IOException {
        stranded = true;
        try {
            segments.publish(begun);
        } catch (IOException e) {
            close(begun.segment());
            throw e;
        }
        stranded = false;
    }

    /// Closes the file of the last segment.
    public void close() {
        close(segment);
    }

    private static void close(Segment segment) {
        try {
            segment.close();
        } catch (IOException e) {
            Failures.LOG.log(Level.WARNING, "closing segment " + segment.number() + ": " + Failures.reason(e));
        }
    }
}
