package io.tallis.chaos;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// Injects faults into a cluster of real nodes, from the command line; see `scripts/chaos`.
///
/// Where this user may create namespaces, the run is a process in some of its own: it makes networks there, changes
/// none of the machine's, and everything that it started ends with it.
public final class Chaos {
    private static final List<String> APART =
            List.of("--net", "--pid", "--fork", "--kill-child", "--mount-proc", "--mount");
    private static final String TRIAL = "ip link add hub type bridge && ip link add port0 type veth peer name out0"
            + " && ip rule add pref 2 from 0.0.0.0/32 to 10.77.0.1 iif lo blackhole && nsenter -t 1 -n true"
            + " && echo 1 >/proc/sys/net/ipv4/conf/all/rp_filter";
    private static final String INSIDE = "inside";

    private Chaos() {}

    /// The exit status is 0 if no check failed, 1 if one did, 2 for wrong options.
    public static void main(String[] arguments) throws IOException, InterruptedException {
        boolean inside = arguments.length > 0 && arguments[0].equals(INSIDE);
        List<String> given = Arrays.asList(arguments).subList(inside ? 1 : 0, arguments.length);
        Options options;
        try {
            options = Options.of(given);
        } catch (IllegalArgumentException mistake) {
            System.err.println("chaos: " + mistake.getMessage());
            System.exit(2);
            return;
        }
        System.exit(inside ? status(options, true) : outside(options, given));
    }

    private static int outside(Options options, List<String> given) throws IOException, InterruptedException {
        Optional<List<String>> apart = options.cluster().where() == Options.Where.OWN
                ? namespaces(TRIAL + " && ip link set out0 up && " + OwnNetworks.impairment(options.cluster()))
                : Optional.empty();
        if (apart.isEmpty() && options.cluster().isImpaired()) {
            System.err.println(
                    "chaos: --loss needs cls_bpf, --delay needs netem, and both need networks of their own; this"
                            + " system or user lacks one of them");
            return 2;
        }
        if (apart.isEmpty()) {
            return status(options, false);
        }
        Process child = new ProcessBuilder(command(apart.get(), joined(List.of(INSIDE), given)))
                .inheritIO()
                .start();
        Thread end = new Thread(child::destroyForcibly, "end-child");
        Runtime.getRuntime().addShutdownHook(end);
        return child.waitFor();
    }

    private static int status(Options options, boolean apart) throws IOException, InterruptedException {
        Files.createDirectories(options.dir());
        try (Network network = apart ? new OwnNetworks(options) : new Loopback(options)) {
            boolean right = options.ageing() > 0 ? AgeingRun.run(options, network) : ChaosRun.run(options, network);
            return right ? 0 : 1;
        }
    }

    /// The command that runs another in namespaces of its own, if this user may do there what `trial` does.
    private static Optional<List<String>> namespaces(String trial) {
        return List.of(List.of("unshare", "-r"), List.of("unshare")).stream()
                .map(unshare -> joined(unshare, APART))
                .filter(unshare -> Shell.succeeds(
                        joined(unshare, List.of("sh", "-ec", trial)).toArray(String[]::new)))
                .findFirst();
    }

    /// The command that runs this program.
    static List<String> command(List<String> wrapper, List<String> arguments) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> run = List.of(
                java, "-XX:+UseSerialGC", ChaosNode.NO_FILE_NAMED_BY_PID, "-cp", classes(), Chaos.class.getName());
        return joined(joined(wrapper, run), arguments);
    }

    /// The directory of the test classes; a run needs no others.
    private static String classes() {
        var place = Chaos.class.getProtectionDomain().getCodeSource().getLocation();
        return Path.of(URI.create(place.toString())).toString();
    }

    private static List<String> joined(List<String> first, List<String> then) {
        List<String> both = new ArrayList<>(first);
        both.addAll(then);
        return both;
    }
}
