package io.tallis.bench;

import io.tallis.runtime.Clock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Where and on what a run was made: no figure means anything without it.
final class Machine {
    private static final Duration SHORT = Duration.ofSeconds(10);

    private Machine() {}

    static Map<String, Object> facts(List<ServerKind> kinds) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("time", time());
        facts.put("cpu", field("/proc/cpuinfo", "model name"));
        facts.put("cores", Runtime.getRuntime().availableProcessors());
        facts.put("memory", field("/proc/meminfo", "MemTotal"));
        facts.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        facts.put("java", System.getProperty("java.vm.version"));
        facts.put("commit", commit());
        kinds.forEach(kind -> facts.put(kind.side().title(), kind.version()));
        return facts;
    }

    private static String time() {
        return Instant.ofEpochMilli(Clock.system().epochMillis())
                .truncatedTo(ChronoUnit.SECONDS)
                .toString();
    }

    private static String field(String file, String name) {
        try {
            return Files.readAllLines(Path.of(file)).stream()
                    .filter(line -> line.startsWith(name))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException _) {
            return "unknown";
        }
    }

    private static String commit() {
        try {
            return Commands.run(List.of("git", "describe", "--always", "--dirty"), SHORT)
                    .strip();
        } catch (BenchException _) {
            return "unknown";
        }
    }
}
