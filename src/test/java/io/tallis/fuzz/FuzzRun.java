package io.tallis.fuzz;

import io.tallis.testing.Gen;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Sends random commands to a node and to a Redis and compares, from the command line; see `scripts/fuzz-replies`.
public final class FuzzRun {
    /// After so many rounds all keys are compared, and after so many all are deleted.
    private static final int ROUNDS_TO_COMPARISON = 4;

    private static final int ROUNDS_TO_BEGINNING = 40;
    private static final int SHOWN_STEPS = 30;
    private static final double REPORT_NANOS = 20e9;

    private final Duel duel;
    private final StepMaker maker;
    private final PrintStream out;
    private final List<Step> history = new ArrayList<>();

    private FuzzRun(Duel duel, StepMaker maker, PrintStream out) {
        this.duel = duel;
        this.maker = maker;
        this.out = out;
    }

    /// The ports of the node and of the Redis, the seed, and how many commands.
    public static void main(String[] arguments) throws IOException {
        long seed = Long.parseLong(arguments[2]);
        long count = Long.parseLong(arguments[3]);
        Gen gen = new Gen(seed);
        Vocabulary vocabulary = new Vocabulary(gen, System.currentTimeMillis() / 1000);
        try (Duel duel = new Duel(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]))) {
            FuzzRun run = new FuzzRun(duel, new StepMaker(gen, vocabulary), System.out);
            if (!run.isWell(count)) {
                System.out.println("fuzz-replies: seed " + seed + ", after " + duel.commands() + " commands");
                System.exit(1);
            }
        }
    }

    private boolean isWell(long count) throws IOException {
        long begin = System.nanoTime();
        double reported = begin;
        for (int round = 0; duel.commands() < count; round++) {
            if (round % ROUNDS_TO_BEGINNING == 0) {
                duel.begin();
                maker.begin();
                history.clear();
            }
            List<Step> steps = maker.round();
            history.addAll(steps);
            String difference = difference(steps, (round + 1) % ROUNDS_TO_COMPARISON == 0);
            if (difference != null) {
                report(difference);
                return false;
            }
            if (System.nanoTime() - reported > REPORT_NANOS) {
                reported = System.nanoTime();
                out.println("  " + duel.commands() + " commands");
            }
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        out.printf("fuzz-replies: %d commands in %.1f s, replies and keys are Redis's%n", duel.commands(), seconds);
        duel.allowed().forEach((difference, times) -> out.println("  but " + times + " times " + difference));
        return true;
    }

    private @Nullable String difference(List<Step> steps, boolean all) throws IOException {
        String difference;
        try {
            difference = duel.run(steps);
        } catch (IOException e) {
            return e.toString();
        }
        return difference == null && all ? duel.compareAll() : difference;
    }

    private void report(String difference) throws IOException {
        out.println("The last steps:");
        history.subList(Math.max(0, history.size() - SHOWN_STEPS), history.size())
                .forEach(out::println);
        out.println(difference);
        if (difference.contains(Connection.NO_REPLY)) {
            return;
        }
        String shrunk = new Shrinker(duel, history, difference).shrunk();
        out.println(shrunk == null ? "The same steps again make no difference." : "The steps that matter:\n" + shrunk);
    }
}
