package io.tallis.journal;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The files of the journal: the segments that a start would replay, and through [#spares] those to come.
///
/// Names: `0000000000000007.log` is segment 7.
final class Segments {
    private static final String SEGMENT = ".log";
    private static final int NAME_DIGITS = 16;

    private final Disk disk;
    private final Spares spares;

    /// The segments, and how long their files are.
    private final NavigableMap<Long, Long> sizes = new TreeMap<>();

    private volatile @Nullable String lastLost;
    private volatile boolean isAway;

    Segments(Disk disk, JournalSettings settings) throws IOException {
        this.disk = disk;
        spares = new Spares(disk, settings);
        for (String name : disk.names()) {
            adopt(name);
        }
        disk.sync();
    }

    private void adopt(String name) throws IOException {
        if (name.endsWith(SEGMENT)) {
            adoptSegment(name);
        } else {
            spares.adopt(name);
        }
    }

    private void adoptSegment(String name) throws IOException {
        long number = Spares.numberIn(disk, name, SEGMENT);
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

    Spares spares() {
        return spares;
    }

    /// Begins a segment in a file that has no number yet, so that a start would not see it.
    Begun begin(SegmentHead head) throws IOException {
        Spares.Blank blank = spares.take();
        SegmentHead full = head.in(blank.capacity());
        Begun begun = new Begun(blank, new Segment(full, blank.file(), blank.capacity(), 0));
        try {
            begun.segment.write(full.toFrame());
            return begun;
        } catch (IOException e) {
            abandon(begun);
            throw e;
        }
    }

    /// A segment without a number for its file.
    record Begun(Spares.Blank blank, Segment segment) {}

    /// Closes and deletes a file that became no segment.
    void abandon(Begun begun) {
        spares.discard(begun.blank);
    }

    /// Makes a segment, which is synced, one that a start sees. A failure leaves open whether a start would see it.
    void publish(Begun begun) throws IOException {
        long number = begun.segment.number();
        disk.rename(begun.blank.name(), nameOf(number));
        synchronized (this) {
            sizes.put(number, begun.segment.capacity());
        }
        disk.sync();
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
            spares.offer(name);
        } catch (NoSuchFileException _) {
            // Somebody else deleted it.
        } catch (IOException e) {
            synchronized (this) {
                sizes.put(number, size);
            }
            throw e;
        }
    }

    private void delete(String name) {
        try {
            disk.delete(name);
        } catch (IOException e) {
            Failures.LOG.log(System.Logger.Level.DEBUG, "cannot delete " + disk.describe(name), e);
        }
    }
}
