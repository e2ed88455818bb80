package io.tallis.journal.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;

/// An open file of a [Disk]. Several threads may use it at once.
public interface DiskFile extends Closeable {
    /// Writes some of the bytes that remain, at least one, and returns how many.
    int write(ByteBuffer bytes, long position) throws IOException;

    /// Reads bytes, at most those that remain, and returns how many; -1 at the end of the file.
    int read(ByteBuffer bytes, long position) throws IOException;

    long size() throws IOException;

    /// Returns when all that was written before is durable.
    ///
    /// After a failure the state of what was written since the last success is unknown, and a later success proves
    /// nothing about it: the system reports a lost page once and then takes it for clean.
    void sync() throws IOException;
}
