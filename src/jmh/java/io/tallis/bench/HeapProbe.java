package io.tallis.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// Asks another Java process what its heap holds after a full collection.
final class HeapProbe {
    private static final Duration LONGEST_COLLECTION = Duration.ofMinutes(2);

    /// Every collector says `used 123K` (or M, G) once for each of its generations.
    private static final Pattern USED = Pattern.compile("used (\\d+)([KMG])");

    private final String jcmd =
            Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    private final long pid;

    HeapProbe(long pid) {
        this.pid = pid;
    }

    /// The live bytes of the heap. The first collection may leave what finalisation and reference queues still
    /// hold.
    long liveBytes() {
        ask("GC.run");
        ask("GC.run");
        return ask("GC.heap_info")
                .lines()
                .filter(line -> !line.contains("Metaspace") && !line.contains("class space"))
                .flatMap(line -> USED.matcher(line).results())
                .mapToLong(HeapProbe::bytes)
                .sum();
    }

    private String ask(String question) {
        return Commands.run(List.of(jcmd, Long.toString(pid), question), LONGEST_COLLECTION);
    }

    private static long bytes(MatchResult used) {
        long number = Long.parseLong(used.group(1));
        return switch (used.group(2)) {
            case "K" -> number << 10;
            case "M" -> number << 20;
            default -> number << 30;
        };
    }
}
