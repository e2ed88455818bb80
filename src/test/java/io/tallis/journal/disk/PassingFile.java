package io.tallis.journal.disk;

import java.io.IOException;
import java.nio.ByteBuffer;

/// A file that delegates to another, for tests that override some operations.
public class PassingFile implements DiskFile {
    private final DiskFile file;

    public PassingFile(DiskFile file) {
        this.file = file;
    }

    @Override
    public int write(ByteBuffer bytes, long position) throws IOException {
        return file.write(bytes, position);
    }

    @Override
    public int read(ByteBuffer bytes, long position) throws IOException {
        return file.read(bytes, position);
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    public void sync() throws IOException {
        file.sync();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
