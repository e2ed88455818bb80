package io.tallis.journal.disk;

import io.tallis.journal.disk.Faults.Fate;
import io.tallis.testing.Gen;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// A directory in memory that fails as [Faults] say, and at a crash forgets any of what was not synced: names from any
/// moment on, and of each file any of the sectors written.
public final class SimulatedDisk implements Disk {
    private static final int SECTOR = 64;

    private final Faults faults;
    private final Map<String, Inode> names = new HashMap<>();
    private final Map<String, Inode> syncedNames = new HashMap<>();
    private final List<Runnable> unsyncedNames = new ArrayList<>();

    public SimulatedDisk(Faults faults) {
        this.faults = faults;
    }

    /// The power goes and comes back: some of what was not synced is gone.
    public void losePower(Gen gen) {
        int survive = gen.between(0, unsyncedNames.size());
        unsyncedNames.subList(0, survive).forEach(Runnable::run);
        unsyncedNames.clear();
        names.clear();
        names.putAll(syncedNames);
        names.forEach((name, inode) -> inode.name = name);
        names.values().forEach(inode -> inode.losePower(gen));
    }

    /// Every byte of a file, for a test that looks at it or damages it.
    public byte[] contentOf(String name) {
        Inode inode = names.get(name);
        return Arrays.copyOf(inode.bytes, inode.size);
    }

    public void flipBit(String name, int offset) {
        names.get(name).bytes[offset] ^= 1;
    }

    /// Overwrites everything from `offset` on with zeros.
    public void wipe(String name, int offset) {
        Inode inode = names.get(name);
        Arrays.fill(inode.bytes, offset, inode.size, (byte) 0);
    }

    public void cut(String name, int size) {
        names.get(name).size = size;
    }

    public void add(String name, byte[] content) {
        Inode inode = new Inode();
        inode.name = name;
        inode.write(ByteBuffer.wrap(content), content.length, 0);
        inode.sync();
        names.put(name, inode);
        syncedNames.put(name, inode);
    }

    public void remove(String name) {
        names.remove(name);
        syncedNames.remove(name);
    }

    /// A disk with the same files, on a machine of its own.
    public SimulatedDisk copy(Faults others) {
        SimulatedDisk copy = new SimulatedDisk(others);
        names.forEach((name, inode) -> copy.names.put(name, inode.copy()));
        copy.syncedNames.putAll(copy.names);
        return copy;
    }

    @Override
    public List<String> names() {
        return List.copyOf(names.keySet());
    }

    @Override
    public DiskFile create(String name) throws IOException {
        faults.run("create " + name, () -> {
            Inode inode = new Inode();
            inode.name = name;
            names.put(name, inode);
            unsyncedNames.add(() -> syncedNames.put(name, inode));
        });
        return open(name);
    }

    @Override
    public DiskFile open(String name) throws IOException {
        Inode inode = names.get(name);
        if (inode == null) {
            throw new NoSuchFileException(name);
        }
        return new SimulatedFile(inode);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        if (!names.containsKey(from)) {
            throw new NoSuchFileException(from);
        }
        faults.run("rename " + from + " to " + to, () -> {
            Inode renamed = names.remove(from);
            renamed.name = to;
            names.put(to, renamed);
            unsyncedNames.add(() -> {
                Inode inode = syncedNames.remove(from);
                if (inode != null) {
                    syncedNames.put(to, inode);
                }
            });
        });
    }

    @Override
    public void delete(String name) throws IOException {
        faults.run("delete " + name, () -> {
            names.remove(name);
            unsyncedNames.add(() -> syncedNames.remove(name));
        });
    }

    @Override
    public void sync() throws IOException {
        Fate fate = faults.next("sync the directory");
        if (fate == Fate.GOOD || fate == Fate.SHORT) {
            unsyncedNames.forEach(Runnable::run);
            unsyncedNames.clear();
        }
        faults.finish("sync the directory", fate);
    }

    @Override
    public String describe(String name) {
        return "/data/journal/" + name;
    }

    /// A file, whatever it is called.
    private static final class Inode {
        private String name = "";
        private byte[] bytes = new byte[0];
        private int size;

        /// As a crash would leave it at the least.
        private byte[] synced = new byte[0];

        private int syncedSize;
        private BitSet dirty = new BitSet();

        /// Sectors whose sync failed: taken for clean, and perhaps not on the disk.
        private final BitSet forgotten = new BitSet();

        void write(ByteBuffer from, int length, int position) {
            int end = position + length;
            if (end > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(end, 2 * bytes.length));
            }
            from.get(bytes, position, length);
            size = Math.max(size, end);
            dirty.set(position / SECTOR, (end + SECTOR - 1) / SECTOR);
        }

        void sync() {
            copyTo(dirty);
            forgotten.andNot(dirty);
            dirty.clear();
            syncedSize = size;
        }

        void failSync() {
            forgotten.or(dirty);
            dirty = new BitSet();
        }

        private void copyTo(BitSet sectors) {
            synced = Arrays.copyOf(synced, Math.max(synced.length, size));
            sectors.stream().forEach(sector -> {
                int from = sector * SECTOR;
                int length = Math.min(SECTOR, size - from);
                if (length > 0) {
                    System.arraycopy(bytes, from, synced, from, length);
                }
            });
        }

        void losePower(Gen gen) {
            BitSet unsure = (BitSet) dirty.clone();
            unsure.or(forgotten);
            BitSet survivors = new BitSet();
            int percent = gen.pick(0, 50, 90, 100);
            unsure.stream().filter(_ -> gen.chance(percent)).forEach(survivors::set);
            copyTo(survivors);
            if (gen.chance(50) || !survivors.isEmpty()) {
                syncedSize = size;
            }
            size = syncedSize;
            bytes = Arrays.copyOf(synced, Math.max(size, synced.length));
            dirty.clear();
            forgotten.clear();
        }

        Inode copy() {
            Inode copy = new Inode();
            copy.name = name;
            copy.bytes = bytes.clone();
            copy.size = size;
            copy.synced = bytes.clone();
            copy.syncedSize = size;
            return copy;
        }
    }

    /// An open file.
    private final class SimulatedFile implements DiskFile {
        private final Inode inode;

        SimulatedFile(Inode inode) {
            this.inode = inode;
        }

        @Override
        public int write(ByteBuffer bytes, long position) throws IOException {
            String operation = "write " + inode.name + " at " + position + ", " + bytes.remaining() + " bytes";
            Fate fate = faults.next(operation);
            int length = bytes.remaining();
            switch (fate) {
                case FAILS, CRASHES -> length = 0;
                case FAILS_AFTER, SHORT, CRASHES_AFTER -> length = (length + 1) / 2;
                case GOOD -> {}
            }
            // A failure says nothing of what was written: the caller's buffer stays as it was.
            inode.write(fate == Fate.FAILS_AFTER ? bytes.duplicate() : bytes, length, (int) position);
            faults.finish(operation, fate);
            return length;
        }

        @Override
        public int read(ByteBuffer bytes, long position) {
            if (position >= inode.size) {
                return -1;
            }
            int length = (int) Math.min(bytes.remaining(), inode.size - position);
            bytes.put(inode.bytes, (int) position, length);
            return length;
        }

        @Override
        public long size() {
            return inode.size;
        }

        @Override
        public void sync() throws IOException {
            Fate fate = faults.next("sync " + inode.name);
            switch (fate) {
                case FAILS, FAILS_AFTER -> inode.failSync();
                case GOOD, SHORT -> inode.sync();
                case CRASHES, CRASHES_AFTER -> {}
            }
            faults.finish("sync " + inode.name, fate);
        }

        @Override
        public void close() {}
    }
}
