package io.tallis.journal.disk;

import io.tallis.journal.checkpoint.GenerationFiles;
import io.tallis.runtime.Directories;
import io.tallis.runtime.Randomness;
import io.tallis.runtime.WholeFile;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The directory that a node keeps its data in, locked by this process.
///
/// ```
/// lock         locked while a process uses the directory; has that process's id
/// node         the node's UUID, as text
/// nodes        what is known of other nodes, kept by replication
/// cluster      which cluster the node belongs to, and whether it is complete; kept by replication
/// journal/     segments and spare files
/// cells-<n>/   a generation of the database, see GenerationFiles
/// current      the name of the generation in use
/// backup/      copies, each a whole data directory; backup.unfinished-*/ is a copy in the making
/// ```
public final class DataDirectory implements AutoCloseable {
    public static final String NODES = "nodes";
    public static final String CLUSTER = "cluster";

    private static final String NODE = "node";
    private static final String LOCK = "lock";
    private static final String JOURNAL = "journal";
    private static final String BACKUP = "backup";
    private static final String UNFINISHED_BACKUP = "backup.unfinished-";

    /// How deep a copy lies in its data directory.
    private static final int MOST_LEVELS = 2;

    private final Path root;
    private final FileChannel lockFile;
    private final @Nullable Object lockKey;
    private final UUID node;
    private final boolean made;
    private final String process;

    private DataDirectory(Path root, FileChannel lockFile, UUID node, boolean made, String process) throws IOException {
        this.root = root;
        this.lockFile = lockFile;
        this.node = node;
        this.made = made;
        this.process = process;
        lockKey = lockKey();
    }

    /// Makes the directory if it is missing, and locks it. A failure's message says in one line what is wrong.
    public static DataDirectory open(Path directory, Randomness randomness) throws DataDirectoryException {
        try {
            Path root = directory.toAbsolutePath().normalize();
            boolean missing = !Files.exists(root);
            requireNoneAround(root);
            requireNoneWithin(root);
            Directories.make(root);
            FileChannel lockFile = lock(root.resolve(LOCK), directory);
            try {
                Files.createDirectories(root.resolve(JOURNAL));
                tryToMake(root.resolve(BACKUP));
                UUID node = node(root, randomness);
                Directories.sync(root);
                return new DataDirectory(root, lockFile, node, missing, Long.toHexString(randomness.nextLong()));
            } catch (IOException e) {
                lockFile.close();
                throw e;
            }
        } catch (DataDirectoryException e) {
            throw e;
        } catch (FileAlreadyExistsException e) {
            throw new DataDirectoryException(
                    "cannot use the data directory " + directory + ": " + e.getFile() + " is not a directory", e);
        } catch (IOException e) {
            throw new DataDirectoryException(
                    "cannot use the data directory " + directory + ": " + Failures.reason(e), e);
        }
    }

    /// An operator who restores a copy one level too deep, or names the directory above it, would begin with an empty
    /// database and not notice.
    private static void requireNoneWithin(Path root) throws IOException {
        if (!Files.isDirectory(root) || isOne(root)) {
            return;
        }
        for (Path within : Directories.list(root)) {
            if (isOne(within)) {
                throw new DataDirectoryException("the data directory " + root + " is new, but " + within
                        + " is one, or a copy of one: give that, or move it");
            }
        }
    }

    /// The node of the outer directory deletes its old copies, and would delete a directory that another node runs in.
    private static void requireNoneAround(Path root) throws IOException {
        Path around = root;
        for (int level = 0; level < MOST_LEVELS && around.getParent() != null; level++) {
            around = around.getParent();
            if (isOne(around)) {
                throw new DataDirectoryException("the data directory " + root + " lies in another one, " + around
                        + ": give it a place of its own; of a backup, make a copy there");
            }
        }
    }

    /// A missing disk for backups must not prevent the start; the next backup fails and says why.
    private static void tryToMake(Path backups) {
        try {
            if (!Files.isSymbolicLink(backups)) {
                Files.createDirectories(backups);
            }
        } catch (IOException e) {
            Failures.LOG.log(
                    Level.WARNING, "no copies can be made until " + backups + " is a directory: " + Failures.reason(e));
        }
    }

    private static boolean isOne(Path directory) {
        return Files.exists(directory.resolve(NODE)) && Files.exists(directory.resolve(JOURNAL));
    }

    private static FileChannel lock(Path file, Path directory) throws IOException {
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                sign(channel);
                return channel;
            }
        } catch (OverlappingFileLockException _) {
            // This process has it open already: the same answer as for any other.
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        channel.close();
        String holder = Files.readString(file, StandardCharsets.US_ASCII);
        throw new DataDirectoryException("the data directory " + directory + " is in use by "
                + (holder.isEmpty() ? "another process" : "process " + holder));
    }

    /// Writes this process's id into the lock file, for people. A full disk leaves it empty.
    private static void sign(FileChannel lockFile) throws IOException {
        String pid = Long.toString(ProcessHandle.current().pid());
        try {
            lockFile.truncate(lockFile.write(ByteBuffer.wrap(pid.getBytes(StandardCharsets.US_ASCII)), 0));
        } catch (IOException _) {
            lockFile.truncate(0);
        }
    }

    private static UUID node(Path root, Randomness randomness) throws IOException {
        Path file = root.resolve(NODE);
        try {
            return nodeIn(file);
        } catch (NoSuchFileException missing) {
            requireNew(root, missing);
        }
        UUID made = new UUID(randomness.nextLong(), randomness.nextLong());
        writeNode(root, made);
        return made;
    }

    /// The file `node` is written before any data is. Backups may be there: one of them may be about to be restored.
    private static void requireNew(Path root, NoSuchFileException missing) throws IOException {
        for (Path part : Directories.list(root)) {
            String name = part.getFileName().toString();
            if ((name.equals(JOURNAL) || name.startsWith(GenerationFiles.CELLS))
                    && !Directories.list(part).isEmpty()) {
                throw new DataDirectoryException(
                        missing.getFile() + " is missing, though there is data in " + name
                                + "; if it is lost, write a new UUID into it: it is a name, no count depends on it",
                        missing);
            }
        }
    }

    private static UUID nodeIn(Path file) throws IOException {
        String text = Files.readString(file, StandardCharsets.ISO_8859_1).strip();
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException e) {
            throw new DataDirectoryException(file + " holds \"" + text + "\", expected a UUID", e);
        }
    }

    private static void writeNode(Path root, UUID node) throws IOException {
        WholeFile.replace(root.resolve(NODE), StandardCharsets.US_ASCII.encode(node + "\n"));
    }

    /// The node's identity for people; counts do not depend on it.
    public UUID node() {
        return node;
    }

    /// Whether a copy was made of this node and no process has been started in it.
    public boolean isOwnCopy(Path copy) {
        try {
            return nodeIn(copy.resolve(NODE)).equals(node) && Files.notExists(copy.resolve(LOCK));
        } catch (IOException _) {
            return false;
        }
    }

    /// A random name that distinguishes this process from others that use a copy of this directory.
    String process() {
        return process;
    }

    /// Writes this node's UUID into a copy of the directory.
    public void writeNode(Path copy) throws IOException {
        writeNode(copy, node);
    }

    /// The file of known nodes; may not exist.
    public Path nodes() {
        return root.resolve(NODES);
    }

    /// Which cluster the node belongs to; absent where it is in none.
    public Path cluster() {
        return root.resolve(CLUSTER);
    }

    public Path root() {
        return root;
    }

    public Path journal() {
        return root.resolve(JOURNAL);
    }

    public Path backups() {
        return root.resolve(BACKUP);
    }

    /// Where a copy is made: on the disk of this directory, also where [#backups] is on another.
    public Path unfinishedBackup(String name) {
        return root.resolve(UNFINISHED_BACKUP + name);
    }

    /// All copies that are being made, or were left unfinished.
    public List<Path> unfinishedBackups() throws IOException {
        return Directories.list(root).stream()
                .filter(file -> file.getFileName().toString().startsWith(UNFINISHED_BACKUP))
                .toList();
    }

    /// Makes the directory of backups if it is missing.
    public void makeBackups() throws IOException {
        if (Files.isSymbolicLink(backups()) && Files.notExists(backups())) {
            throw new IOException("what it links to is not there");
        }
        requireHeld();
        Directories.make(backups());
    }

    /// Deletes the directory of the journal if nothing is in it, so that a directory that was moved away can be moved
    /// back.
    public void discardEmptyJournal() {
        try {
            Files.delete(journal());
        } catch (IOException _) {
            // There is something in it, or no longer such a directory.
        }
    }

    /// Fails with [DataDirectoryException] when the file `lock` under this name is not the file that this process has
    /// locked, and with another [IOException] when that cannot be told.
    public void requireHeld() throws IOException {
        if (!Objects.equals(lockKey(), lockKey)) {
            throw new DataDirectoryException(
                    root + " is no longer the data directory that this process has locked: it was moved, deleted or"
                            + " replaced, or its file \"lock\" was");
        }
    }

    /// A number of the lock file that no other file has as long as it is open; null where there is none.
    private @Nullable Object lockKey() throws IOException {
        try {
            return Files.readAttributes(root.resolve(LOCK), BasicFileAttributes.class)
                    .fileKey();
        } catch (NoSuchFileException _) {
            return null;
        }
    }

    /// Deletes the directory if opening it made it and nothing was written to it since, and unlocks it.
    public void discard() throws IOException {
        // Unlocked last: a process that came between would lock a file that is about to vanish.
        try (this) {
            if (made) {
                for (String part : List.of(JOURNAL, BACKUP)) {
                    Files.deleteIfExists(root.resolve(part));
                }
                Files.delete(root.resolve(NODE));
                Files.delete(root.resolve(LOCK));
                Files.delete(root);
            }
        }
    }

    /// Unlocks the directory.
    @Override
    public void close() throws IOException {
        lockFile.close();
    }
}
