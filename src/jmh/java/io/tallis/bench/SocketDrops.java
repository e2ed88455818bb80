package io.tallis.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// How many datagrams the kernel dropped because a process did not take them and its buffers were full.
///
/// ```
/// /proc/PID/net/udp   sl  local  remote  st  queues  timer  retransmits  uid  timeout  inode  ref  pointer  drops
/// ```
final class SocketDrops {
    private static final int INODE = 9;
    private static final int DROPS = 12;
    private static final List<String> TABLES = List.of("net/udp", "net/udp6");

    private final Path process;

    SocketDrops(long pid) {
        process = Path.of("/proc", Long.toString(pid));
    }

    /// Of all its sockets, since they were opened.
    long count() {
        Set<String> inodes = inodes();
        return TABLES.stream()
                .flatMap(table -> lines(process.resolve(table)).skip(1))
                .map(line -> line.strip().split("\\s+", -1))
                .filter(fields -> inodes.contains("socket:[" + fields[INODE] + "]"))
                .mapToLong(fields -> Long.parseLong(fields[DROPS]))
                .sum();
    }

    private static Stream<String> lines(Path table) {
        try {
            return Files.readAllLines(table).stream();
        } catch (IOException failure) {
            throw new BenchException("cannot read " + table, failure);
        }
    }

    private Set<String> inodes() {
        try (Stream<Path> descriptors = Files.list(process.resolve("fd"))) {
            return descriptors.map(SocketDrops::target).collect(Collectors.toSet());
        } catch (IOException failure) {
            throw new BenchException("cannot read what process " + process.getFileName() + " has open", failure);
        }
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException _) {
            return "closed meanwhile";
        }
    }
}
