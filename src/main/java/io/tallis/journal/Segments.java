package io.tallis.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The files of the journal: the segments that a start would replay, and spare files for those to come.
///
/// Spares are full of bytes already, so that a full disk is met while one is made, before any change depends on it,
/// and so that a sync of the journal has no sizes or blocks to write. A segment that a checkpoint made needless
/// becomes a spare; beyond [#maxSpares] it is deleted. Names: `0000000000000007.log` is segment 7, `7.spare` a
/// spare, `7.new` a file on its way to either, which a start deletes.
final class Segments {
    private static final String SEGMENT = ".log";
    private static final String SPARE = ".spare";
    private static final String NEW = ".new";

    /// The size of a segment that is needed before a spare is ready, as at the start.
    private static final long SMALL_SEGMENT = 1 << 22;

    private static final int NAME_DIGITS = 16;

    private static final int FILL_BYTES = 1 << 20;

    private final Disk disk;
    private final long segmentBytes;
    private final int maxSpares;

    /// The segments, and how long their files are.
    private final NavigableMap<Long, Long> sizes = new TreeMap<>();

    private final ArrayDeque<String> spares = new ArrayDeque<>();
    private long nextName;
    private volatile @Nullable String spareFailure;
    private volatile @Nullable String lastLost;
    private volatile boolean isAway;

    Segments(Disk disk, JournalSettings settings) throws IOException {
        this.disk = disk;
        segmentBytes = settings.segmentBytes();
        maxSpares = (int) Math.max(2, Math.min(Integer.MAX_VALUE, settings.checkpointBytes() / segmentBytes));
        for (String name : disk.names()) {
            adopt(name);
        }
        disk.sync();
    }

    private void adopt(String name) throws IOException {
        if (name.endsWith(SEGMENT)) {
            adoptSegment(name);
        } else if (name.endsWith(SPARE)) {
            nextName = Math.max(nextName, numberIn(name, SPARE) + 1);
            if (spares.size() < maxSpares && !disk.hasOtherNames(name) && disk.size(name) >= segmentBytes) {
                spares.add(name);
            } else {
                disk.delete(name);
            }
        } else if (name.endsWith(NEW)) {
            disk.delete(name);
        }
    }

    private void adoptSegment(String name) throws IOException {
        long number = numberIn(name, SEGMENT);
        if (name.length() != NAME_DIGITS + SEGMENT.length() || !name.equals(nameOf(number))) {
            throw new DamagedException(disk.describe(name) + " has not the name of a segment; move it away");
        }
        sizes.put(number, sizeOnceSafe(name));
    }

    /// A file that somebody has just copied here may be with the operating system only, and it is as if it had been
    /// synced that the last is gone on with.
    private long sizeOnceSafe(String name) throws IOException {
        try (DiskFile file = disk.open(name)) {
            file.sync();
            return file.size();
        }
    }

    private long numberIn(String name, String suffix) throws IOException {
        try {
            return Long.parseLong(name.substring(0, name.length() - suffix.length()));
        } catch (NumberFormatException e) {
            throw new DamagedException(disk.describe(name) + " has no number in its name; move it away", e);
        }
    }

    /// Sixteen digits, so that names sort as numbers do.
    static String nameOf(long number) {
        String digits = Long.toString(number);
        return "0".repeat(NAME_DIGITS - digits.length()) + digits + SEGMENT;
    }

    /// What has become of a segment that is needed and that the next start would not find; null when all are there.
    /// What it was the last time, when that cannot be told.
    @Nullable
    String lost() {
        try {
            for (long number : numbers()) {
                String fate = fateOf(number);
                // It may have been released since.
                if (fate != null && isNeeded(number)) {
                    isAway = false;
                    return lost("the file " + describe(number) + fate + ", until a checkpoint has made up for it");
                }
            }
            isAway = false;
            return lost(null);
        } catch (DataDirectoryException another) {
            isAway = true;
            return lost(another.getMessage());
        } catch (IOException _) {
            return lastLost;
        }
    }

    private @Nullable String fateOf(long number) throws IOException {
        try {
            return disk.size(nameOf(number)) < sizeMade(number) ? " is shorter than it was" : null;
        } catch (NoSuchFileException _) {
            return " is gone";
        }
    }

    /// Whether the next start would not find this one, or that cannot be told.
    boolean isLost(long number) {
        try {
            return fateOf(number) != null;
        } catch (IOException _) {
            return true;
        }
    }

    /// Whether the directory was not this process's when files were looked for last: nobody knows of any that is lost.
    boolean isAway() {
        return isAway;
    }

    private synchronized boolean isNeeded(long number) {
        return sizes.containsKey(number);
    }

    private synchronized long sizeMade(long number) {
        return sizes.getOrDefault(number, 0L);
    }

    private @Nullable String lost(@Nullable String now) {
        lastLost = now;
        return now;
    }

    String describe(long number) {
        return disk.describe(nameOf(number));
    }

    DiskFile open(long number) throws IOException {
        return disk.open(nameOf(number));
    }

    /// The numbers of the segments that exist, in order.
    synchronized NavigableSet<Long> numbers() {
        return new TreeSet<>(sizes.keySet());
    }

    /// How many bytes the files of all segments have.
    synchronized long bytes() {
        return sum(sizes);
    }

    private static long sum(NavigableMap<Long, Long> sizes) {
        return sizes.values().stream().mapToLong(size -> size).sum();
    }

    /// How many bytes the segments from this one on have, without the last, of which much may be unused.
    synchronized long bytesBeforeLast(long first) {
        NavigableMap<Long, Long> needed = sizes.tailMap(first, true);
        return needed.isEmpty() ? 0 : sum(needed) - needed.lastEntry().getValue();
    }

    /// Begins a segment in a file that has no number yet, so that a start would not see it.
    Begun begin(SegmentHead head) throws IOException {
        String spare = nextSpare();
        String name = spare == null ? nextName(NEW) : spare;
        long capacity = spare == null ? Math.min(segmentBytes, SMALL_SEGMENT) : segmentBytes;
        DiskFile file;
        try {
            file = spare == null ? fill(name, capacity, Rest.NONE) : openSpare(spare);
        } catch (NoSuchFileException deleted) {
            if (spare == null) {
                throw deleted;
            }
            return begin(head);
        }
        SegmentHead full = head.in(capacity);
        Begun begun = new Begun(name, file, new Segment(full, file, capacity, 0));
        try {
            begun.segment.write(full.toFrame());
            return begun;
        } catch (IOException e) {
            abandon(begun);
            throw e;
        }
    }

    /// One that cannot be opened, or has lost its end, is a spare no more.
    private DiskFile openSpare(String name) throws IOException {
        try {
            if (disk.size(name) >= segmentBytes) {
                return disk.open(name);
            }
        } catch (DataDirectoryException another) {
            // The directory may be back in a moment, and the file with it.
            addSpare(name);
            throw another;
        } catch (IOException e) {
            delete(name);
            throw e;
        }
        delete(name);
        throw new NoSuchFileException(disk.describe(name));
    }

    /// A segment without a number for its file.
    record Begun(String name, DiskFile file, Segment segment) {}

    /// Closes and deletes a file that became no segment.
    void abandon(Begun begun) {
        discard(begun.name, begun.file);
    }

    /// Makes a segment, which is synced, one that a start sees. A failure leaves open whether a start would see it.
    void publish(Begun begun) throws IOException {
        long number = begun.segment.number();
        disk.rename(begun.name, nameOf(number));
        synchronized (this) {
            sizes.put(number, begun.segment.capacity());
        }
        disk.sync();
    }

    /// Makes a spare if there is none, with a `rest` after each piece. Returns whether there is one.
    boolean prepareSpare(Rest rest) {
        if (spareReady()) {
            return true;
        }
        try {
            String name = nextName(NEW);
            fill(name, segmentBytes, rest).close();
            keepAsSpare(name);
            return true;
        } catch (NotWantedException _) {
            return false;
        } catch (DataDirectoryException another) {
            noteNoSpare(Failures.reason(another));
            return spareReady();
        } catch (IOException e) {
            noteNoSpare(Failures.reason(e) + ", making the next segment of " + inMegabytes(segmentBytes) + " MB");
            return spareReady();
        }
    }

    /// A segment that was released meanwhile is as good as the file that could not be made.
    private synchronized void noteNoSpare(String failure) {
        if (spares.isEmpty()) {
            spareFailure = failure;
        }
    }

    private static long inMegabytes(long bytes) {
        return Math.ceilDiv(bytes, 1 << 20);
    }

    synchronized boolean spareReady() {
        return !spares.isEmpty();
    }

    /// Why there is no spare; null if there is one or none was tried to be made.
    @Nullable
    String spareFailure() {
        return spareFailure;
    }

    /// Deletes all spares, for the room that they take.
    void giveUpSpares() {
        for (String spare = nextSpare(); spare != null; spare = nextSpare()) {
            delete(spare);
        }
    }

    private synchronized @Nullable String nextSpare() {
        return spares.poll();
    }

    /// Gives up the segments before `number`, which no start needs any more. Returns how many.
    int release(long number) throws IOException {
        int released = 0;
        for (long old : numbers().headSet(number)) {
            release(old, needNoMore(old));
            released++;
        }
        return released;
    }

    /// Deletes the segments before `number`, which the process before has not come to release; one that cannot be
    /// deleted is left to the next start. None becomes a spare: a crash may have left two names of one file, of which
    /// the other is needed.
    void deleteBefore(long number) {
        for (long old : numbers().headSet(number)) {
            long _ = needNoMore(old);
            delete(nameOf(old));
        }
    }

    /// Before its file goes, so that nobody misses it. Returns how long that is.
    private synchronized long needNoMore(long number) {
        return Objects.requireNonNull(sizes.remove(number));
    }

    private void release(long number, long size) throws IOException {
        String name = nameOf(number);
        try {
            if (spareCount() < maxSpares && disk.size(name) >= segmentBytes && !disk.hasOtherNames(name)) {
                keepAsSpare(name);
            } else {
                disk.delete(name);
            }
        } catch (NoSuchFileException _) {
            // Somebody else deleted it.
        } catch (IOException e) {
            synchronized (this) {
                sizes.put(number, size);
            }
            throw e;
        }
    }

    private synchronized int spareCount() {
        return spares.size();
    }

    /// Nobody waits for the disk under the lock: who asks how the journal does must not.
    private void keepAsSpare(String name) throws IOException {
        String spare = nextName(SPARE);
        disk.rename(name, spare);
        addSpare(spare);
    }

    private synchronized void addSpare(String spare) {
        spares.add(spare);
        spareFailure = null;
    }

    private synchronized String nextName(String suffix) {
        return nextName++ + suffix;
    }

    /// A new file of `size` bytes that the disk has room for.
    private DiskFile fill(String name, long size, Rest rest) throws IOException {
        DiskFile file = disk.create(name);
        try {
            ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(FILL_BYTES, size));
            for (long at = 0; at < size; ) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), size - at));
                at += file.write(zeros, at);
                rest.takeFrom(file);
            }
            file.sync();
            return file;
        } catch (IOException e) {
            discard(name, file);
            throw e;
        }
    }

    /// Ends the filling of a file that nobody wants any more, which is no failure of the disk.
    static final class NotWantedException extends IOException {
        private static final long serialVersionUID = 1;
    }

    /// What happens between two pieces of a file that is being filled. Ends the filling by throwing.
    interface Rest {
        /// There is no time for a rest.
        Rest NONE = _ -> {};

        void takeFrom(DiskFile file) throws IOException;
    }

    /// A file that cannot be deleted now is deleted by the next start.
    private void discard(String name, DiskFile file) {
        try {
            file.close();
        } catch (IOException e) {
            Failures.LOG.log(System.Logger.Level.DEBUG, "cannot close " + disk.describe(name), e);
        }
        delete(name);
    }

    private void delete(String name) {
        try {
            disk.delete(name);
        } catch (IOException e) {
            Failures.LOG.log(System.Logger.Level.DEBUG, "cannot delete " + disk.describe(name), e);
        }
    }
}
