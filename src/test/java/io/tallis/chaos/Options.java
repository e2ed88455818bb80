package io.tallis.chaos;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// What a run is asked to do. It keeps everything in `dir`, a directory of its own.
record Options(int seconds, long seed, int nodes, Stack stack, Where where, Path dir) {
    private static final Set<String> NAMES = Set.of("--seconds", "--seed", "--nodes", "--stack", "--network", "--dir");
    private static final int LEAST_NODES = 2;
    private static final int MOST_NODES = 9;
    private static final int MOST_SECONDS = 1_000_000;

    enum Stack {
        UDP,
        TCP
    }

    /// `OWN`: in networks of their own where that is possible.
    enum Where {
        OWN,
        LOOPBACK
    }

    Options {
        check(nodes >= LEAST_NODES && nodes <= MOST_NODES, "--nodes is from " + LEAST_NODES + " to " + MOST_NODES);
        check(seconds >= 1 && seconds <= MOST_SECONDS, "--seconds is from 1 to " + MOST_SECONDS);
    }

    /// Reads names and values, any of them in any order, the last one of a name being meant.
    static Options of(List<String> arguments) {
        check(arguments.size() % 2 == 0, "an option lacks its value");
        Map<String, String> values = new HashMap<>(Map.of(
                "--seconds",
                "60",
                "--seed",
                "1",
                "--nodes",
                "3",
                "--stack",
                "udp",
                "--network",
                "own",
                "--dir",
                "chaos"));
        for (int i = 0; i < arguments.size(); i += 2) {
            check(NAMES.contains(arguments.get(i)), arguments.get(i) + " is not known");
            values.put(arguments.get(i), arguments.get(i + 1));
        }
        return new Options(
                Integer.parseInt(values.get("--seconds")),
                Long.parseLong(values.get("--seed")),
                Integer.parseInt(values.get("--nodes")),
                Stack.valueOf(values.get("--stack").toUpperCase(Locale.ROOT)),
                Where.valueOf(values.get("--network").toUpperCase(Locale.ROOT)),
                Path.of(values.get("--dir")).toAbsolutePath());
    }

    private static void check(boolean holds, String expected) {
        if (!holds) {
            throw new IllegalArgumentException(expected);
        }
    }
}
