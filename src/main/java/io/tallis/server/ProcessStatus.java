package io.tallis.server;

import io.tallis.command.server.MemoryUse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Memory and processor time of the process, from the JVM and `/proc`. A figure that is not available is 0.
final class ProcessStatus {
    private static final Path MACHINE_MEMORY = Path.of("/proc/meminfo");
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path STAT = Path.of("/proc/self/stat");

    /// Linux reports the processor time of a process in hundredths of a second, whatever its internal clock rate.
    private static final double TICKS_PER_SECOND = 100;

    private static final int USER_TICKS = 11;
    private static final int SYSTEM_TICKS = 12;
    private static final int CHILDREN_USER_TICKS = 13;
    private static final int CHILDREN_SYSTEM_TICKS = 14;

    private final double childrenUserBefore;
    private final double childrenSystemBefore;

    /// Notes the time of earlier child processes, which are not the server's: the start script, whose process this is,
    /// may have built the server.
    ProcessStatus() {
        String[] fields = statFields();
        childrenUserBefore = seconds(fields, CHILDREN_USER_TICKS);
        childrenSystemBefore = seconds(fields, CHILDREN_SYSTEM_TICKS);
    }

    MemoryUse.Heap heap() {
        Runtime runtime = Runtime.getRuntime();
        long committed = runtime.totalMemory();
        return new MemoryUse.Heap(committed - runtime.freeMemory(), committed, runtime.maxMemory());
    }

    void collectGarbage() {
        Runtime.getRuntime().gc();
    }

    long residentBytes() {
        return kilobytes(STATUS, "VmRSS:") * 1024;
    }

    /// The memory of the machine, even if the container may use less.
    long machineBytes() {
        return kilobytes(MACHINE_MEMORY, "MemTotal:") * 1024;
    }

    private static long kilobytes(Path file, String name) {
        for (String line : read(file).lines().toList()) {
            if (line.startsWith(name)) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        return 0;
    }

    /// Processor seconds of the process, and of the child processes that ended since this object was created.
    record CpuSeconds(double system, double user, double childrenSystem, double childrenUser) {}

    CpuSeconds cpu() {
        String[] fields = statFields();
        return new CpuSeconds(
                seconds(fields, SYSTEM_TICKS),
                seconds(fields, USER_TICKS),
                seconds(fields, CHILDREN_SYSTEM_TICKS) - childrenSystemBefore,
                seconds(fields, CHILDREN_USER_TICKS) - childrenUserBefore);
    }

    /// The fields after the name of the program, which may contain blanks.
    private static String[] statFields() {
        String stat = read(STAT);
        return stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
    }

    private static double seconds(String[] fields, int field) {
        return fields.length > field ? Long.parseLong(fields[field]) / TICKS_PER_SECOND : 0;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException _) {
            return "";
        }
    }
}
