package io.tallis.journal.disk;

import io.tallis.runtime.Directories;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;

/// The [Disk] of a real server: a directory of the operating system's file system.
///
/// Names are made, changed and deleted only while the data directory is this process's. Once another directory stands
/// in its place, the names in it are those of another process's files.
public final class NioDisk implements Disk {
    private final Path directory;
    private final Place data;

    public NioDisk(Path directory, Place data) {
        this.directory = directory;
        this.data = data;
    }

    @Override
    public List<String> names() throws IOException {
        return Directories.list(directory).stream()
                .map(file -> file.getFileName().toString())
                .toList();
    }

    /// Makes the directory too if an operator has deleted it.
    @Override
    public DiskFile create(String name) throws IOException {
        data.requireHeld();
        Directories.make(directory);
        return new NioFile(FileChannel.open(
                directory.resolve(name),
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE));
    }

    @Override
    public DiskFile open(String name) throws IOException {
        return new NioFile(
                FileChannel.open(directory.resolve(name), StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        data.requireHeld();
        Files.move(directory.resolve(from), directory.resolve(to), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void delete(String name) throws IOException {
        data.requireHeld();
        Files.deleteIfExists(directory.resolve(name));
    }

    /// Without opening it, which would take a descriptor.
    @Override
    public long size(String name) throws IOException {
        return Files.size(directory.resolve(name));
    }

    @Override
    public boolean hasOtherNames(String name) throws IOException {
        return Files.getAttribute(directory.resolve(name), "unix:nlink") instanceof Integer names && names > 1;
    }

    @Override
    public void sync() throws IOException {
        Directories.sync(directory);
    }

    @Override
    public String describe(String name) {
        return directory.resolve(name).toString();
    }

    /// A file of the operating system.
    private record NioFile(FileChannel channel) implements DiskFile {
        @Override
        public int write(ByteBuffer bytes, long position) throws IOException {
            return channel.write(bytes, position);
        }

        @Override
        public int read(ByteBuffer bytes, long position) throws IOException {
            return channel.read(bytes, position);
        }

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public void sync() throws IOException {
            channel.force(false);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
