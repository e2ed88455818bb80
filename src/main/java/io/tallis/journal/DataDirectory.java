package io.tallis.journal;

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

/// The directory that a node keeps its data in, held by this process alone.
///
/// ```
/// lock       locked while a process uses the directory; names that process
/// node       the node's UUID, as text
/// nodes      what is known of other nodes, kept by whoever replicates
/// joining    there until a node that joined others had all that they had, kept by whoever replicates
/// journal/   segments and spares
/// cells/     the database of checkpoints; cells.damaged/ is one that another is to take the place of,
///            cells.unfinished/ one that was to and did not
/// backup/    copies, each a whole data directory; backup.unfinished-*/ is one that is being made
/// ```
final class DataDirectory implements AutoCloseable {
    static final String NODES = "nodes";
    static final String CLUSTER = "cluster";

    private static final String NODE = "node";
    private static final String LOCK = "lock";
    private static final String CELLS = "cells";
    private static final String BACKUP = "backup";
    private static final String UNFINISHED_BACKUP = "backup.unfinished-";

    private static final String DISK = "unix:dev";

    /// How deep a copy lies in its data directory.
    private static final int MOST_LEVELS = 2;

    private static final List<String> DATA = List.of("journal", CELLS);
    private static final List<String> PARTS = List.of("journal", CELLS, BACKUP);

    private final Path root;
    private final FileChannel lockFile;
    private final @Nullable Object lockKey;
    private final UUID node;
    private final boolean made;
    private final String process;
    private volatile boolean lastSeen = true;

    private DataDirectory(Path root, FileChannel lockFile, UUID node, boolean made, String process) throws IOException {
        this.root = root;
        this.lockFile = lockFile;
        this.node = node;
        this.made = made;
        this.process = process;
        lockKey = lockKey();
    }

    /// Makes the directory if it is missing, and locks it. A failure's message says in one line what is wrong.
    static DataDirectory open(Path directory, Randomness randomness) throws DataDirectoryException {
        try {
            Path root = directory.toAbsolutePath().normalize();
            boolean missing = !Files.exists(root);
            requireNoneAround(root);
            requireNoneWithin(root);
            Directories.make(root);
            FileChannel lockFile = lock(root.resolve(LOCK), directory);
            try {
                for (String part : DATA) {
                    Files.createDirectories(root.resolve(part));
                }
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

    /// Whoever restores a copy one level too deep, or names the directory above it, would begin anew and not notice.
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

    /// What lies in a data directory is its node's, which deletes old copies whoever counts on in them.
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

    /// A disk for copies that is not there keeps nobody from counting; the next copy tells of it.
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
        return Files.exists(directory.resolve(NODE)) && Files.exists(directory.resolve(CELLS));
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
            // This very process has it open: the same answer as for any other.
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        channel.close();
        String holder = Files.readString(file, StandardCharsets.US_ASCII);
        throw new DataDirectoryException("the data directory " + directory + " is in use by "
                + (holder.isEmpty() ? "another process" : "process " + holder));
    }

    /// Names this process in the lock file. That is for people only: a full disk does without.
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

    /// The file is written before any data is. Copies may be there, for a directory to be made anew from one of them.
    private static void requireNew(Path root, NoSuchFileException missing) throws IOException {
        for (String part : DATA) {
            if (!Directories.list(root.resolve(part)).isEmpty()) {
                throw new DataDirectoryException(
                        missing.getFile() + " is missing, though there is data in " + part
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

    /// Who this node is, to people; counts do not depend on it.
    UUID node() {
        return node;
    }

    /// Whether this directory's disk has the database too, and not one of its own.
    boolean hasCellsOnItsDisk() throws IOException {
        return Files.getAttribute(root, DISK).equals(Files.getAttribute(cells(), DISK));
    }

    /// Whether a copy is known to be one of this node that no process has been started on.
    boolean isOwnCopy(Path copy) {
        try {
            return nodeIn(copy.resolve(NODE)).equals(node) && Files.notExists(copy.resolve(LOCK));
        } catch (IOException _) {
            return false;
        }
    }

    /// What tells this process from any other that uses a directory of the same node.
    String process() {
        return process;
    }

    /// Makes a copy of this directory one of the same node.
    void writeNode(Path copy) throws IOException {
        writeNode(copy, node);
    }

    /// What the node knows of others, for people; may not be there.
    Path nodes() {
        return root.resolve(NODES);
    }

    /// Which cluster the node belongs to; absent where it is in none.
    Path cluster() {
        return root.resolve(CLUSTER);
    }

    Path journal() {
        return root.resolve("journal");
    }

    Path cells() {
        return root.resolve(CELLS);
    }

    Path backups() {
        return root.resolve(BACKUP);
    }

    /// Where a copy is made, on the disk of this directory, be that of [#backups] another.
    Path unfinishedBackup(String name) {
        return root.resolve(UNFINISHED_BACKUP + name);
    }

    /// All of those.
    List<Path> unfinishedBackups() throws IOException {
        return Directories.list(root).stream()
                .filter(file -> file.getFileName().toString().startsWith(UNFINISHED_BACKUP))
                .toList();
    }

    /// Makes the directory of the journal anew when somebody deleted it with all that was in it.
    void makeJournal() throws IOException {
        makeAgain(journal());
    }

    /// The same for the directory of copies.
    void makeBackups() throws IOException {
        if (Files.isSymbolicLink(backups()) && Files.notExists(backups())) {
            throw new IOException("what it links to is not there");
        }
        makeAgain(backups());
    }

    private void makeAgain(Path part) throws IOException {
        requireHeld();
        if (!Files.exists(part)) {
            Files.createDirectory(part);
            Directories.sync(root);
        }
    }

    /// Deletes the directory of the journal if nothing is in it, so that one that was moved away can be moved back.
    void discardEmptyJournal() {
        try {
            Files.delete(journal());
        } catch (IOException _) {
            // There is something in it, or no longer such a directory.
        }
    }

    /// Fails when the directory under this name is not the one that was locked: somebody has moved that away, deleted
    /// it or its lock, and perhaps put another in its place, which is another process's to use.
    void requireHeld() throws IOException {
        boolean held = Objects.equals(lockKey(), lockKey);
        lastSeen = held;
        if (!held) {
            throw new DataDirectoryException(
                    root + " is no more the data directory that this process has locked: that was"
                            + " moved or deleted, or its file \"lock\" was. Move it back if it was moved. If it was"
                            + " deleted, this process has the counters in memory only: read them out before it ends. If"
                            + " only \"lock\" was, all of it is on the disk: start the node again");
        }
    }

    /// Whether it is, as far as can be told.
    boolean isHeld() {
        try {
            requireHeld();
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /// Whether it was held when it was last looked at, which is done once a second.
    boolean wasHeld() {
        return lastSeen;
    }

    /// What tells the lock file from any other for as long as it is open; null where there is none.
    private @Nullable Object lockKey() throws IOException {
        try {
            return Files.readAttributes(root.resolve(LOCK), BasicFileAttributes.class)
                    .fileKey();
        } catch (NoSuchFileException _) {
            return null;
        }
    }

    /// Takes the directory away if opening it has made it and nothing was kept in it since, and unlocks it.
    void discard() throws IOException {
        // Unlocked last: whoever came between would lock a file that is about to vanish.
        try (this) {
            if (made) {
                for (String part : PARTS) {
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
