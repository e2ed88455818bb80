package io.tallis.chaos;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// The options of a run. It keeps everything in `dir`, a directory of its own. The clock of each node is off by up to
/// `skewMillis`. With `ageing` nodes are started again so often, instead of faults for some time.
record Options(int seconds, int ageing, long seed, int nodes, int skewMillis, Cluster cluster, Path dir) {
    private static final String AGEING = "--ageing";
    private static final Set<String> NAMES = Set.of(
            "--seconds",
            "--seed",
            "--nodes",
            "--stack",
            "--network",
            "--key",
            "--loss",
            "--delay",
            "--skew",
            AGEING,
            "--dir");
    private static final String RESTARTS = "2000";
    private static final int LEAST_NODES = 2;
    private static final int MOST_NODES = 9;
    private static final int MOST_SECONDS = 1_000_000;
    private static final int MOST_LOSS_PERCENT = 50;
    private static final int MOST_DELAY_MILLIS = 1000;
    private static final int MOST_SKEW_MILLIS = 60_000;

    enum Stack {
        UDP,
        TCP
    }

    /// `OWN`: in networks of their own where that is possible.
    enum Where {
        OWN,
        LOOPBACK
    }

    /// The network between nodes: encrypted if `encrypted`; of packets that a node receives, `lossPercent` are dropped,
    /// and all that it sends are delayed by `delayMillis`.
    record Cluster(Stack stack, Where where, boolean encrypted, int lossPercent, int delayMillis) {
        Cluster {
            check(lossPercent <= MOST_LOSS_PERCENT, "--loss is from 0 to " + MOST_LOSS_PERCENT);
            check(delayMillis <= MOST_DELAY_MILLIS, "--delay is from 0 to " + MOST_DELAY_MILLIS);
        }

        boolean isImpaired() {
            return lossPercent > 0 || delayMillis > 0;
        }
    }

    Options {
        check(nodes >= LEAST_NODES && nodes <= MOST_NODES, "--nodes is from " + LEAST_NODES + " to " + MOST_NODES);
        check(seconds >= 1 && seconds <= MOST_SECONDS, "--seconds is from 1 to " + MOST_SECONDS);
        check(skewMillis <= MOST_SKEW_MILLIS, "--skew is from 0 to " + MOST_SKEW_MILLIS);
    }

    /// The cluster, for people.
    String describe() {
        return nodes + " nodes by " + cluster.stack + (cluster.encrypted ? ", encrypted, " : ", ") + "loss "
                + cluster.lossPercent + " %, delay " + cluster.delayMillis + " ms";
    }

    /// Reads pairs of names and values in any order. The last value of a name counts.
    static Options of(List<String> arguments) {
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
        values.putAll(Map.of("--key", "yes", "--loss", "0", "--delay", "0", "--skew", "2000", AGEING, "0"));
        int next = 0;
        while (next < arguments.size()) {
            String name = arguments.get(next++);
            check(NAMES.contains(name), name + " is not known");
            boolean lacksValue = next == arguments.size() || arguments.get(next).startsWith("--");
            check(!lacksValue || name.equals(AGEING), name + " lacks its value");
            values.put(name, lacksValue ? RESTARTS : arguments.get(next++));
        }
        return new Options(
                number("--seconds", values),
                number(AGEING, values),
                Long.parseLong(match("--seed", "\\d{1,18}", "a whole number", values)),
                number("--nodes", values),
                number("--skew", values),
                new Cluster(
                        Stack.valueOf(upperCase(match("--stack", "udp|tcp", "udp or tcp", values))),
                        Where.valueOf(upperCase(match("--network", "own|loopback", "own or loopback", values))),
                        match("--key", "yes|no", "yes or no", values).equals("yes"),
                        number("--loss", values),
                        number("--delay", values)),
                Path.of(values.get("--dir")).toAbsolutePath());
    }

    private static int number(String name, Map<String, String> values) {
        return Integer.parseInt(match(name, "\\d{1,9}", "a number", values));
    }

    private static String match(String name, String pattern, String wanted, Map<String, String> values) {
        String value = values.getOrDefault(name, "");
        check(value.matches(pattern), name + " wants " + wanted + ", not '" + value + "'");
        return value;
    }

    private static String upperCase(String word) {
        return word.toUpperCase(Locale.ROOT);
    }

    private static void check(boolean holds, String expected) {
        if (!holds) {
            throw new IllegalArgumentException(expected);
        }
    }
}
