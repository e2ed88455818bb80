package io.tallis.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

final class SimulationRunTest {
    private static final Simulation.Result GOOD =
            new Simulation.Result(10, 2_000_000_000, 3, 4, 5, 6, 7, 8, 9, 10, false, 11);

    private final ByteArrayOutputStream output = new ByteArrayOutputStream();

    @Test
    void run_inWhichNothingFails_endsWithThatVerdict() throws InterruptedException {
        boolean well = run(_ -> GOOD).isWell(1);

        assertThat(well).isTrue();
        assertThat(lines())
                .containsExactly(
                        "1 simulations, 10 events, 2 simulated seconds, 8 folds, 9 purges, 0 given up; next seed 18",
                        "all well");
    }

    @Test
    void run_thatFails_endsWithWhatFailed() throws InterruptedException {
        boolean well = run(seed -> {
                    throw new Violation("fails with --seed " + seed + "\nand its last events");
                })
                .isWell(1);

        assertThat(well).isFalse();
        assertThat(lines())
                .contains("and its last events")
                .last()
                .asString()
                .startsWith("FAILED: ")
                .endsWith("fails with --seed 17");
    }

    private SimulationRun run(LongFunction<Simulation.Result> simulate) {
        return new SimulationRun(
                simulate, 17, System.nanoTime(), new PrintStream(output, true, StandardCharsets.UTF_8));
    }

    private List<String> lines() {
        return output.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
