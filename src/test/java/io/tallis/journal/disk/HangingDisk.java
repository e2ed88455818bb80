package io.tallis.journal.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/// A directory of the operating system in which a test can make syncs hang and the disk full.
public final class HangingDisk extends PassingDisk {
    private final CountDownLatch answer = new CountDownLatch(1);
    private volatile boolean hangs;
    private volatile boolean full;

    public HangingDisk(Path directory) {
        super(directory);
    }

    public HangingDisk(Disk disk) {
        super(disk);
    }

    public void hang() {
        hangs = true;
    }

    public void fill() {
        full = true;
    }

    private void requireRoom() throws IOException {
        if (full) {
            throw new IOException("No space left on device");
        }
    }

    /// Lets everything that hangs come back.
    public void answer() {
        answer.countDown();
    }

    @Override
    public DiskFile create(String name) throws IOException {
        requireRoom();
        return new HangingFile(super.create(name));
    }

    @Override
    public DiskFile open(String name) throws IOException {
        return new HangingFile(super.open(name));
    }

    private final class HangingFile extends PassingFile {
        HangingFile(DiskFile file) {
            super(file);
        }

        @Override
        public int write(ByteBuffer bytes, long position) throws IOException {
            requireRoom();
            return super.write(bytes, position);
        }

        @Override
        public void sync() throws IOException {
            if (hangs) {
                try {
                    answer.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
            super.sync();
        }
    }
}
