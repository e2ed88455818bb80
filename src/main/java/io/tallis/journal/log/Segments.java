package io.tallis.journal.log;

import io.tallis.journal.disk.DamagedException;
import io.tallis.journal.disk.Disk;
import io.tallis.journal.disk.DiskFile;
import io.tallis.journal.disk.Failures;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The journal's files on the disk: makes new segments, knows those that the next start would replay, and lets go of
/// those that a checkpoint has made needless.
///
/// The journal is cut into segments, files of fixed size with numbers without gaps, so that its older part can be
/// deleted while its end is written:
///
/// ```
/// 0000000000000007.log   needed    ╮
/// 0000000000000008.log   needed    ├ the next start replays these, in this order
/// 0000000000000009.log   present   ╯ LogWriter appends to it
/// 12.spare                         preallocated, to become segment 10 (Spares)
/// ```
///
/// A file goes round:
///
/// ```
/// 12.spare ──begin: head written──▶ 12.spare ──publish: renamed──▶ 10.log ──release──▶ 13.spare, or deleted
/// ```
///
/// A start trusts every numbered file, so a file gets its number last, when its head is on the disk. For the same
/// reason this class remembers how long each file was made: a numbered file that is missing or shorter has lost rows
/// ([#damage]), which only memory still has.
///
/// The thread that does a round of [JournalLoop] begins segments, the checkpoint's thread releases them, any thread may
/// ask.
public final class Segments {
    private static final String SEGMENT = ".log";
    private static final int NAME_DIGITS = 16;

    private final Disk disk;
    private final Spares spares;

    /// The segments, and how long their files are.
    private final NavigableMap<Long, Long> sizes = new TreeMap<>();

    public Segments(Disk disk, JournalSettings settings) throws IOException {
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

    /// A file that an operator has just copied here may be with the operating system only, and replay takes what it
    /// reads for durable.
    private long sizeOnceSafe(String name) throws IOException {
        try (DiskFile file = disk.open(name)) {
            file.sync();
            return file.size();
        }
    }

    /// Sixteen digits, so that names sort as numbers do.
    public static String nameOf(long number) {
        String digits = Long.toString(number);
        return "0".repeat(NAME_DIGITS - digits.length()) + digits + SEGMENT;
    }

    /// What is wrong with the file of a segment that the next start needs; null if nothing is. Throws when that cannot
    /// be told.
    @Nullable
    public String damage() throws IOException {
        for (long number : numbers()) {
            String wrong = whatIsWrongWith(number);
            // It may have been released since.
            if (wrong != null && isNeeded(number)) {
                return "the file " + describe(number) + wrong;
            }
        }
        return null;
    }

    private @Nullable String whatIsWrongWith(long number) throws IOException {
        try {
            return disk.size(nameOf(number)) < sizeMade(number) ? " is shorter than it was made" : null;
        } catch (NoSuchFileException _) {
            return " is gone";
        }
    }

    /// Whether something is wrong with this one, or that cannot be told.
    boolean isDamaged(long number) {
        try {
            return whatIsWrongWith(number) != null;
        } catch (IOException _) {
            return true;
        }
    }

    private synchronized boolean isNeeded(long number) {
        return sizes.containsKey(number);
    }

    private synchronized long sizeMade(long number) {
        return sizes.getOrDefault(number, 0L);
    }

    public String describe(long number) {
        return disk.describe(nameOf(number));
    }

    public DiskFile open(long number) throws IOException {
        return disk.open(nameOf(number));
    }

    /// The numbers of the segments that exist, in order.
    public synchronized NavigableSet<Long> numbers() {
        return new TreeSet<>(sizes.keySet());
    }

    /// Fails with [DamagedException] unless there are segments from `first` on without a gap.
    public void requireAllFrom(long first) throws DamagedException {
        long expected = first;
        for (long number : numbers().tailSet(first, true)) {
            if (number != expected) {
                break;
            }
            expected++;
        }
        NavigableSet<Long> numbers = numbers();
        if (numbers.isEmpty() || numbers.last() != expected - 1) {
            throw new DamagedException(describe(expected) + " is missing");
        }
    }

    /// How many bytes the files of all segments have.
    public synchronized long bytes() {
        return sum(sizes);
    }

    private static long sum(NavigableMap<Long, Long> sizes) {
        return sizes.values().stream().mapToLong(size -> size).sum();
    }

    /// How many bytes the segments from this one on have, without the last, of which much may be unused.
    public synchronized long bytesBeforeLast(long first) {
        NavigableMap<Long, Long> needed = sizes.tailMap(first, true);
        return needed.isEmpty() ? 0 : sum(needed) - needed.lastEntry().getValue();
    }

    public Spares spares() {
        return spares;
    }

    /// Begins a segment in a file without a number, which a start ignores.
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

    /// A segment whose file has no number yet.
    record Begun(Spares.Blank blank, Segment segment) {}

    /// Closes and deletes a file that became no segment.
    void abandon(Begun begun) {
        spares.discard(begun.blank);
    }

    /// Gives the file of a segment, which is synced, its number. After a failure a start may see it or not.
    void publish(Begun begun) throws IOException {
        long number = begun.segment.number();
        disk.rename(begun.blank.name(), nameOf(number));
        // Before the sync, which may fail: the file has its name then, and a look for damage must know of it.
        synchronized (this) {
            sizes.put(number, begun.segment.capacity());
        }
        disk.sync();
    }

    /// Makes spares of the segments before `number`, which no start needs any more, or deletes them. Returns how many.
    public int release(long number) throws IOException {
        int released = 0;
        for (long old : numbers().headSet(number)) {
            release(old, forget(old));
            released++;
        }
        return released;
    }

    /// Deletes the segments before `number`, which the former process did not come to release; a file that cannot be
    /// deleted is left to the next start. None becomes a spare: a crash may have left two names of one file, of which
    /// the other is needed.
    public void deleteBefore(long number) {
        for (long old : numbers().headSet(number)) {
            long _ = forget(old);
            delete(nameOf(old));
        }
    }

    /// Called before the file of a segment goes, or [#damage] would miss the file. Returns how long the file is.
    private synchronized long forget(long number) {
        return Objects.requireNonNull(sizes.remove(number));
    }

    private void release(long number, long size) throws IOException {
        String name = nameOf(number);
        try {
            spares.offer(name);
        } catch (NoSuchFileException _) {
            // Deleted by an operator.
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
