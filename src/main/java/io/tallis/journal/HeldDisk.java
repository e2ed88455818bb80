package io.tallis.journal;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;

/// The files of the journal for as long as this process holds the data directory: afterwards names there are those of
/// another's files, which it must not make, replace or delete.
final class HeldDisk implements Disk {
    private final DataDirectory data;
    private final Disk disk;

    HeldDisk(DataDirectory data, Disk disk) {
        this.data = data;
        this.disk = disk;
    }

    @Override
    public List<String> names() throws IOException {
        data.requireHeld();
        return disk.names();
    }

    @Override
    public DiskFile create(String name) throws IOException {
        data.requireHeld();
        try {
            return disk.create(name);
        } catch (NoSuchFileException _) {
            data.makeJournal();
            return disk.create(name);
        }
    }

    @Override
    public DiskFile open(String name) throws IOException {
        data.requireHeld();
        return disk.open(name);
    }

    @Override
    public long size(String name) throws IOException {
        data.requireHeld();
        try {
            return disk.size(name);
        } catch (NoSuchFileException missing) {
            // It may have gone with the directory.
            data.requireHeld();
            throw missing;
        }
    }

    @Override
    public void rename(String from, String to) throws IOException {
        data.requireHeld();
        disk.rename(from, to);
    }

    @Override
    public void delete(String name) throws IOException {
        data.requireHeld();
        disk.delete(name);
    }

    @Override
    public boolean hasOtherNames(String name) throws IOException {
        return disk.hasOtherNames(name);
    }

    @Override
    public void sync() throws IOException {
        disk.sync();
    }

    @Override
    public String describe(String name) {
        return disk.describe(name);
    }
}
