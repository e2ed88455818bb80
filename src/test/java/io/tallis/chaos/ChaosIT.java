package io.tallis.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A short run of a seed whose faults are of all kinds. For a long run use `-Dseed=17 -Dchaos.seconds=600`, or
/// `scripts/chaos`.
final class ChaosIT {
    private static final String SEED = System.getProperty("seed", "4");
    private static final String SECONDS = System.getProperty("chaos.seconds", "20");

    @TempDir
    Path dir;

    @Test
    void cluster_withFaults_losesNothingAndCountsNothingTwice() throws Exception {
        Result result = run("--seconds", SECONDS, "--seed", SEED);

        assertThat(result.output).contains("kill -9", "all nodes agree", "all is well");
        assertThat(result.status).isZero();
    }

    @Test
    void run_withTooManyNodes_isRefused() throws Exception {
        Result result = run("--nodes", "10");

        assertThat(result.output).isEqualTo("chaos: --nodes is from 2 to 9\n");
        assertThat(result.status).isEqualTo(2);
    }

    private record Result(int status, String output) {}

    private Result run(String... options) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(Arrays.asList(options));
        arguments.addAll(List.of("--dir", dir.resolve("run").toString()));
        Process process = new ProcessBuilder(Chaos.command(List.of(), arguments))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), output);
    }
}
