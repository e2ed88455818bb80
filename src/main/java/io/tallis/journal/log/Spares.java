package io.tallis.journal.log;

import io.tallis.journal.disk.DamagedException;
import io.tallis.journal.disk.Disk;
import io.tallis.journal.disk.DiskFile;
import io.tallis.journal.disk.Failures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/// The preallocated files that later segments are made of. A full disk is met while such a file is made, before any
/// change depends on it, and a sync of the journal has no file size and no block map to write.
///
/// A segment that a checkpoint made needless becomes a spare; beyond a bound it is deleted. Names: `7.spare`, and
/// `7.new` for a file that is to become a spare or a segment, which a start deletes.
public final class Spares {
    /*
     * Why files are filled with zeros in advance
     * ------------------------------------------
     * A write that makes a file longer may fail for want of room, after the cell has changed. With blocks that exist
     * already only the making of the next file can fail, and that is noticed while the present one has room: changes
     * are refused before they happen. It also makes syncs cheap: the file's size and block map never change. Some file
     * systems turn unwritten (fallocated) blocks into written ones at the first sync, which changes the map after all,
     * so the zeros are really written.
     */

    private static final String SPARE = ".spare";
    private static final String NEW = ".new";

    /// The size of a file that is needed before a spare is ready, as at the start.
    private static final long SMALL_FILE = 1 << 22;

    private static final int FILL_BYTES = 1 << 20;

    private final Disk disk;
    private final long fileBytes;
    private final int most;

    private final ArrayDeque<String> ready = new ArrayDeque<>();
    private long nextName;
    private volatile @Nullable String failure;

    Spares(Disk disk, JournalSettings settings) {
        this.disk = disk;
        fileBytes = settings.segmentBytes();
        most = (int) Math.max(2, Math.min(Integer.MAX_VALUE, settings.checkpointBytes() / fileBytes));
    }

    /// Takes over a spare that the former process has left, or deletes it where it is of no use; ignores other files.
    void adopt(String name) throws IOException {
        if (name.endsWith(SPARE)) {
            nextName = Math.max(nextName, numberIn(disk, name, SPARE) + 1);
            if (isOfUse(name)) {
                ready.add(name);
            } else {
                disk.delete(name);
            }
        } else if (name.endsWith(NEW)) {
            disk.delete(name);
        }
    }

    static long numberIn(Disk disk, String name, String suffix) throws IOException {
        try {
            return Long.parseLong(name.substring(0, name.length() - suffix.length()));
        } catch (NumberFormatException e) {
            throw new DamagedException(disk.describe(name) + " has no number in its name; move it away", e);
        }
    }

    /// A file with a second hard link is not: the other name may be that of a backup.
    private boolean isOfUse(String name) throws IOException {
        return count() < most && disk.size(name) >= fileBytes && !disk.hasOtherNames(name);
    }

    private synchronized int count() {
        return ready.size();
    }

    /// A preallocated file that becomes a segment when it is renamed.
    record Blank(String name, DiskFile file, long capacity) {}

    /// Takes a spare; where none is ready a small file is made.
    Blank take() throws IOException {
        for (String spare = poll(); spare != null; spare = poll()) {
            DiskFile file = open(spare);
            if (file != null) {
                return new Blank(spare, file, fileBytes);
            }
        }
        String name = nextName(NEW);
        long capacity = Math.min(fileBytes, SMALL_FILE);
        return new Blank(name, fill(name, capacity, Filling.UNPAUSED), capacity);
    }

    private synchronized @Nullable String poll() {
        return ready.poll();
    }

    /// Null if the spare is missing or was cut short.
    private @Nullable DiskFile open(String name) throws IOException {
        try {
            if (disk.size(name) >= fileBytes) {
                return disk.open(name);
            }
        } catch (NoSuchFileException _) {
            return null;
        } catch (IOException e) {
            delete(name);
            throw e;
        }
        delete(name);
        return null;
    }

    /// Closes and deletes a file that became no segment.
    void discard(Blank blank) {
        discard(blank.name, blank.file);
    }

    /// Makes a spare if there is none, with a pause after each piece. Returns whether there is one.
    public boolean prepare(Filling pause) {
        if (isReady()) {
            return true;
        }
        try {
            String name = nextName(NEW);
            fill(name, fileBytes, pause).close();
            keep(name);
            return true;
        } catch (NotWantedException _) {
            return false;
        } catch (IOException e) {
            failed(Failures.reason(e) + ", making the next segment of " + inMegabytes(fileBytes) + " MB");
            return isReady();
        }
    }

    /// A segment that was released meanwhile is as good as the file that could not be made.
    private synchronized void failed(String reason) {
        if (ready.isEmpty()) {
            failure = reason;
        }
    }

    private static long inMegabytes(long bytes) {
        return Math.ceilDiv(bytes, 1 << 20);
    }

    synchronized boolean isReady() {
        return !ready.isEmpty();
    }

    /// Why there is no spare; null if there is one or none was tried to be made.
    @Nullable
    String failure() {
        return failure;
    }

    /// Takes over a file that was a segment, or deletes it.
    void offer(String name) throws IOException {
        if (isOfUse(name)) {
            keep(name);
        } else {
            disk.delete(name);
        }
    }

    /// Renames without the lock: a thread that asks for the journal's status must not wait for the disk.
    private void keep(String name) throws IOException {
        String spare = nextName(SPARE);
        disk.rename(name, spare);
        add(spare);
    }

    private synchronized void add(String spare) {
        ready.add(spare);
        failure = null;
    }

    private synchronized String nextName(String suffix) {
        return nextName++ + suffix;
    }

    /// A new file of `size` bytes that the disk has room for.
    private DiskFile fill(String name, long size, Filling pause) throws IOException {
        DiskFile file = disk.create(name);
        try {
            ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(FILL_BYTES, size));
            for (long at = 0; at < size; ) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), size - at));
                at += file.write(zeros, at);
                pause.pauseFilling(file);
            }
            file.sync();
            return file;
        } catch (IOException e) {
            discard(name, file);
            throw e;
        }
    }

    /// What happens between two pieces of a file that is being filled. Ends the filling by throwing.
    public interface Filling {
        Filling UNPAUSED = _ -> {};

        void pauseFilling(DiskFile file) throws IOException;
    }

    /// Ends the filling of a file that is not needed any more, which is no failure of the disk.
    static final class NotWantedException extends IOException {
        private static final long serialVersionUID = 1;
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
