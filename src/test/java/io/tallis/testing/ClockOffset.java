package io.tallis.testing;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/// By how much a clock is off: a number in a file, which one process sets while another one reads it.
public final class ClockOffset {
    private static final VarHandle MILLIS =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer mapped;

    /// The file is made, with 0, if there is none.
    public ClockOffset(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
        }
    }

    public void set(long millis) {
        MILLIS.setVolatile(mapped, 0, millis);
    }

    public long millis() {
        return (long) MILLIS.getVolatile(mapped, 0);
    }
}
