package io.tallis.journal.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/// A disk that delegates to another, for tests that override some operations.
public class PassingDisk implements Disk {
    private final Disk disk;

    public PassingDisk(Path directory) {
        this(new NioDisk(directory, () -> {}));
    }

    public PassingDisk(Disk disk) {
        this.disk = disk;
    }

    @Override
    public List<String> names() throws IOException {
        return disk.names();
    }

    @Override
    public DiskFile create(String name) throws IOException {
        return disk.create(name);
    }

    @Override
    public DiskFile open(String name) throws IOException {
        return disk.open(name);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        disk.rename(from, to);
    }

    @Override
    public void delete(String name) throws IOException {
        disk.delete(name);
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
