package io.tallis.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// Compares Tallis with Redis, side by side on this machine.
@Command(
        name = "scripts/bench",
        sortOptions = false,
        description = {
            "Compares Tallis with Redis, side by side on this machine, and prints the ratios.",
            "Takes every core of the machine; leave it alone meanwhile.",
            "Benchmarks of single parts: scripts/bench --jmh REGEX [options of JMH]"
        })
final class Bench implements Callable<Integer> {
    private static final List<Measure> MEASURES =
            List.of(new EmptyStart(), new Throughput(), new Latency(), new Memory(), new Restart());
    private static final List<Measure> CLUSTER_MEASURES =
            List.of(new Visibility(), new Heal(), new Join(), new GroupWrites(), new GroupMemory(), new Idle());
    private static final int FULL_ROUNDS = 5;
    private static final int SMOKE_ROUNDS = 1;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--smoke", description = "see in less than a minute that everything can be measured; tiny sizes")
    private boolean smoke;

    @Option(
            names = "--cluster",
            description = "measure three nodes that replicate to each other, beside a Redis master with two replicas")
    private boolean cluster;

    @Option(
            names = "--ageing",
            description = "measure what a counter takes in a node that counts on over 200 restarts, without Redis")
    private boolean ageing;

    @Option(names = "--alone", description = "measure Tallis without Redis")
    private boolean alone;

    @Option(
            names = "--only",
            split = ",",
            paramLabel = "NAME",
            description = "take these measures only: start, throughput, latency, memory, restart; with --cluster:"
                    + " visibility, heal, join, writes, memory, idle")
    private List<String> only = List.of();

    @Option(names = "--rounds", paramLabel = "N", description = "samples of each side; 5 by default, 1 with --smoke")
    private @Nullable Integer rounds;

    @Option(
            names = "--keys",
            split = ",",
            paramLabel = "N",
            description = "how many keys there are for memory and restart, or for join and (the last) heal;"
                    + " 1000000,10000000 by default")
    private List<Integer> keys = List.of();

    @Option(names = "--json", paramLabel = "FILE", description = "write all samples there")
    private @Nullable Path json;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            defaultValue = "${sys:tallis.root}/target/bench",
            description = "where servers keep their data meanwhile: on the disk that matters; target/bench by default")
    private Path directory = Path.of("");

    @Option(
            names = "--tallis",
            paramLabel = "PROGRAM",
            defaultValue = "${sys:tallis.root}/scripts/tallis",
            description = "what starts a node; scripts/tallis by default")
    private String tallis = "";

    @Option(
            names = "--redis-server",
            paramLabel = "PROGRAM",
            defaultValue = "redis-server",
            description = "what starts Redis")
    private String redisServer = "redis-server";

    @Option(
            names = "--redis-benchmark",
            paramLabel = "PROGRAM",
            defaultValue = "redis-benchmark",
            description = "what makes the load of the throughput measure")
    private String redisBenchmark = "redis-benchmark";

    public static void main(String[] arguments) {
        CommandLine commandLine = new CommandLine(new Bench());
        commandLine
                .getCommandSpec()
                .addOption(OptionSpec.builder("-h", "--help")
                        .usageHelp(true)
                        .description("say this")
                        .build());
        commandLine.setExecutionExceptionHandler((failure, command, _) -> {
            if (!(failure instanceof BenchException)) {
                throw failure;
            }
            command.getErr().println("bench: " + failure.getMessage());
            return command.getCommandSpec().exitCodeOnExecutionException();
        });
        System.exit(commandLine.execute(arguments));
    }

    /// Returns 0 when all could be measured, whatever the figures say.
    @Override
    public Integer call() throws IOException {
        List<Measure> measures = chosenMeasures();
        try (DataDirectory scratch = new DataDirectory(directory.toAbsolutePath(), "run-")) {
            Lab lab = lab(scratch.path());
            Map<String, Object> machine = Machine.facts(lab.kinds());
            machine.put("load", lab.tool().title());
            machine.forEach((name, fact) -> lab.say("%-8s %s", name, fact));
            Results results = new Results();
            measures.forEach(measure -> take(measure, lab, results));
            results.check(lab.sides());
            report(machine, results);
            return results.failures().isEmpty() ? 0 : 1;
        }
    }

    private List<Measure> chosenMeasures() {
        List<Measure> all = ageing ? List.of(new Ageing()) : cluster ? CLUSTER_MEASURES : MEASURES;
        Set<String> names = all.stream().map(Measure::name).collect(Collectors.toCollection(TreeSet::new));
        for (String name : only) {
            if (!names.contains(name)) {
                throw new ParameterException(spec.commandLine(), "no measure " + name + ", there are " + names);
            }
        }
        return all.stream()
                .filter(measure -> only.isEmpty() || only.contains(measure.name()))
                .toList();
    }

    private Lab lab(Path scratch) {
        List<ServerKind> kinds = new ArrayList<>();
        kinds.add(new TallisServer(
                Commands.find(tallis).orElseThrow(() -> new BenchException("there is no program " + tallis))));
        redis().ifPresent(kinds::add);
        LoadTool tool =
                Commands.find(redisBenchmark).<LoadTool>map(RedisBenchmark::new).orElseGet(OwnLoad::new);
        Sizes sizes = smoke ? Sizes.smoke() : Sizes.full();
        return new Lab(
                kinds,
                tool,
                keys.isEmpty() ? sizes : sizes.withFills(keys),
                rounds != null ? rounds : smoke ? SMOKE_ROUNDS : FULL_ROUNDS,
                scratch,
                spec.commandLine().getErr());
    }

    /// Redis to compare with, unless it is not wanted or, where nothing is to be compared, not there.
    private Optional<ServerKind> redis() {
        if (alone || ageing) {
            return Optional.empty();
        }
        List<String> missing = Stream.of(redisServer, redisBenchmark)
                .filter(program -> Commands.find(program).isEmpty())
                .toList();
        if (missing.isEmpty()) {
            return Commands.find(redisServer).map(RedisServer::new);
        }
        String programs = String.join(" and ", missing);
        if (!smoke) {
            throw new BenchException(
                    "needs " + programs + " (in Debian's package redis) to compare with; --alone measures Tallis only");
        }
        spec.commandLine().getErr().println("bench: no " + programs + ", so Tallis is measured alone");
        return Optional.empty();
    }

    private static void take(Measure measure, Lab lab, Results results) {
        try {
            measure.take(lab, results);
        } catch (BenchException failure) {
            results.fail(measure.name(), failure.getMessage());
            lab.say("%s FAILED: %s", measure.name(), failure.getMessage());
        }
    }

    private void report(Map<String, Object> machine, Results results) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        out.println();
        if (smoke) {
            out.println("Sizes are tiny: these figures show that all can be measured, and nothing else.");
        }
        out.print(Table.of(results.figures(), !smoke));
        results.failures().forEach(failure -> out.println("FAILED  " + failure));
        out.flush();
        if (json != null) {
            List<String> commandLine = spec.commandLine().getParseResult().originalArgs();
            Files.writeString(json, Report.json(machine, commandLine, results));
        }
    }
}
