package io.tallis.server;

import io.tallis.command.server.ProcessMemory;
import io.tallis.keyspace.Keyspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/// What the process takes of the machine, as the JVM and `/proc` tell; what cannot be told is 0.
final class ProcessStatus implements ProcessMemory {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path STAT = Path.of("/proc/self/stat");

    /// Linux counts a process's time in hundredths of a second towards programs, whatever it does inside.
    private static final double TICKS_PER_SECOND = 100;

    private static final int USER_TICKS = 11;
    private static final int SYSTEM_TICKS = 12;

    private final Keyspace keyspace;
    private final AtomicLong peak = new AtomicLong();

    ProcessStatus(Keyspace keyspace) {
        this.keyspace = keyspace;
    }

    /// Takes note of the memory in use; called now and then.
    void sample() {
        peak.accumulateAndGet(keyspace.bytesUsed(), Math::max);
    }

    @Override
    public long peakBytes() {
        sample();
        return peak.get();
    }

    @Override
    public long heapUsedBytes() {
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @Override
    public long heapMaxBytes() {
        return Runtime.getRuntime().maxMemory();
    }

    @Override
    public void collectGarbage() {
        Runtime.getRuntime().gc();
    }

    @Override
    public long residentBytes() {
        for (String line : read(STATUS).lines().toList()) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
            }
        }
        return 0;
    }

    double userSeconds() {
        return ticks(USER_TICKS) / TICKS_PER_SECOND;
    }

    double systemSeconds() {
        return ticks(SYSTEM_TICKS) / TICKS_PER_SECOND;
    }

    /// A field of `stat`, counted behind the name of the program, which may hold blanks.
    private static long ticks(int field) {
        String stat = read(STAT);
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
        return fields.length > field ? Long.parseLong(fields[field]) : 0;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException _) {
            return "";
        }
    }
}
