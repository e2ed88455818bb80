package io.tallis.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Whatever happens to a cluster, in the end all nodes have the same counters, and they are what clients did.
///
/// `scripts/simulate` tries other seeds, and one alone.
final class SimulationTest {
    private static final long SEEDS = Long.getLong("sim.seeds", 500);
    private static final long SEEDS_WITH_EXPIRY = 12;
    private static final long SEEDS_WITH_FOLDS = 40;
    private static final long SEEDS_WITH_PURGES = 20;
    private static final long SEEDS_WITH_RETRIES = 30;

    /// Seeds beyond those that failed once.
    private static final List<Long> FAILED_ONCE = List.of(641L, 842L, 1073L, 670934295151L);

    /// A fold and a purge waited for each other.
    private static final long FAILED_ONCE_WITH_PURGES = 9900259;

    @BeforeEach
    void silence() {
        SimulationRun.silenceProduct();
    }

    @AfterEach
    void letSpeak() {
        SimulationRun.letProductSpeak();
    }

    @Test
    void cluster_afterAnyTrouble_holdsWhatClientsDid() {
        List<Simulation.Result> results = LongStream.rangeClosed(1, SEEDS)
                .parallel()
                .mapToObj(Simulation::run)
                .toList();

        long changes = results.stream().mapToLong(Simulation.Result::changes).sum();
        long acknowledged =
                results.stream().mapToLong(Simulation.Result::acknowledged).sum();
        long events = results.stream().mapToLong(Simulation.Result::events).sum();
        System.out.printf("%,d simulations of %,d events and %,d changes%n", SEEDS, events, changes);
        long idle = results.stream()
                .filter(result -> result.changesInTrouble() == 0)
                .count();
        assertThat(acknowledged).isBetween(changes / 2, changes);
        assertThat(idle).as("simulations without a change in their trouble").isLessThan(SEEDS / 2);
    }

    /// A few only: with keys that expire a simulation takes some seconds.
    @Test
    void cluster_whoseKeysExpire_showsWhatOneServerWould() {
        List<Simulation.Result> results = LongStream.rangeClosed(1, SEEDS_WITH_EXPIRY)
                .parallel()
                .mapToObj(Simulation::runWithExpiry)
                .toList();

        assertThat(results).allSatisfy(result -> assertThat(result.acts()).isPositive());
    }

    /// A few only: they last long, too.
    @Test
    void cluster_whoseSessionsAreFolded_holdsWhatClientsDid() {
        List<Simulation.Result> results = LongStream.rangeClosed(1, SEEDS_WITH_FOLDS)
                .parallel()
                .mapToObj(Simulation::runWithFolds)
                .toList();

        assertThat(results.stream().mapToLong(Simulation.Result::folds).sum()).isGreaterThan(SEEDS_WITH_FOLDS / 2);
        assertThat(results.stream().filter(Simulation.Result::givenUp).count()).isLessThan(SEEDS_WITH_FOLDS / 4);
    }

    @Test
    void cluster_whoseDeletedCountersArePurged_holdsWhatWasCountedSince() {
        List<Simulation.Result> results = LongStream.rangeClosed(1, SEEDS_WITH_PURGES)
                .parallel()
                .mapToObj(Simulation::runWithPurges)
                .toList();

        assertThat(results.stream().mapToLong(Simulation.Result::purges).sum()).isGreaterThan(2 * SEEDS_WITH_PURGES);
    }

    @Test
    void cluster_whoseClientsTryAgain_countsOnce() {
        List<Simulation.Result> results = LongStream.rangeClosed(1, SEEDS_WITH_RETRIES)
                .parallel()
                .mapToObj(Simulation::runWithRetries)
                .toList();

        assertThat(results.stream().mapToLong(Simulation.Result::retries).sum())
                .isGreaterThan(100 * SEEDS_WITH_RETRIES);
    }

    @Test
    void cluster_afterTroubleThatWasTooMuchOnce_holdsWhatClientsDid() {
        for (long seed : FAILED_ONCE) {
            assertThat(Simulation.run(seed).changes()).isPositive();
        }
        assertThat(Simulation.runWithPurges(FAILED_ONCE_WITH_PURGES).changes()).isPositive();
    }

    @Test
    void simulation_ofTheSameSeed_takesTheSameCourse() {
        Simulation.Result first = Simulation.run(7);
        Simulation.Result second = Simulation.run(7);

        assertThat(second).isEqualTo(first);
    }
}
