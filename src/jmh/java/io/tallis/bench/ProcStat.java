package io.tallis.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.NoSuchElementException;
import java.util.stream.Stream;

/// What the kernel knows of a process: the CPU time and the memory that it has taken.
final class ProcStat {
    /// The kernel counts CPU time for user space in hundredths of a second, on every Linux of today.
    private static final double TICKS_PER_SECOND = 100;

    /// Fields of `/proc/PID/stat` after the command's name: of the process itself, and of children that have ended.
    private static final int FIRST_TIME = 11;

    private static final int OWN_TIMES = 2;
    private static final int ALL_TIMES = 4;

    private final Path directory;

    ProcStat(long pid) {
        directory = Path.of("/proc", Long.toString(pid));
    }

    /// CPU seconds of all threads so far, and of children such as Redis forks to rewrite its log.
    double cpuSeconds() {
        long ticks = ticks(read(directory.resolve("stat")), ALL_TIMES);
        Path children =
                directory.resolve("task").resolve(directory.getFileName()).resolve("children");
        for (String child : readIfThere(children).split(" ", -1)) {
            ticks += child.isBlank() ? 0 : ticks(readIfThere(Path.of("/proc", child, "stat")), OWN_TIMES);
        }
        return ticks / TICKS_PER_SECOND;
    }

    /// CPU seconds of the threads that live, to the nanosecond: for what takes less than a tick. Threads that end take
    /// theirs with them.
    double threadSeconds() {
        try (Stream<Path> threads = Files.list(directory.resolve("task"))) {
            return threads.mapToLong(thread -> nanos(readIfThere(thread.resolve("schedstat"))))
                            .sum()
                    / 1e9;
        } catch (IOException failure) {
            throw new BenchException("cannot read the threads of " + directory, failure);
        }
    }

    /// The first of three numbers; nothing of a thread that has ended.
    private static long nanos(String schedstat) {
        return schedstat.isEmpty() ? 0 : Long.parseLong(schedstat.substring(0, schedstat.indexOf(' ')));
    }

    private static long ticks(String stat, int times) {
        if (stat.isEmpty()) {
            return 0;
        }
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        long ticks = 0;
        for (int i = FIRST_TIME; i < FIRST_TIME + times; i++) {
            ticks += Long.parseLong(fields[i]);
        }
        return ticks;
    }

    /// Memory that is resident, pages shared with other processes counted in full.
    long residentBytes() {
        return kilobytes(read(directory.resolve("status")), "VmRSS:") * 1024;
    }

    /// Memory that is resident, pages shared with other processes counted in part.
    long proportionalBytes() {
        return kilobytes(read(directory.resolve("smaps_rollup")), "Pss:") * 1024;
    }

    private static long kilobytes(String text, String field) {
        return text.lines()
                .filter(line -> line.startsWith(field))
                .map(line -> line.replaceAll("[^0-9]", ""))
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElseThrow(() -> new NoSuchElementException("no " + field + " in " + text));
    }

    /// Children come and go.
    private static String readIfThere(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException _) {
            return "";
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new BenchException("cannot read " + file, failure);
        }
    }
}
