package io.tallis.bench;

import io.tallis.runtime.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/// As many increments of one server as it takes, chunk after chunk, from its making until its end.
final class SteadyLoad {
    private final List<Double> rates = new ArrayList<>();
    private final CompletableFuture<Double> end = new CompletableFuture<>();
    private final Lab lab;
    private final Subject subject;
    private volatile boolean ending;

    /// Begins at once, on a thread of its own.
    SteadyLoad(Lab lab, Subject subject) {
        this.lab = lab;
        this.subject = subject;
        var _ = Threads.start("steady-load", this::run);
    }

    private void run() {
        try {
            do {
                rates.add(chunk(lab, subject));
            } while (!ending);
            end.complete(
                    rates.stream().mapToDouble(Double::doubleValue).average().orElseThrow());
        } catch (RuntimeException failure) {
            end.completeExceptionally(failure);
        }
    }

    /// Sends one chunk; returns requests a second.
    static double chunk(Lab lab, Subject subject) {
        long requests = lab.sizes().cluster().writes() / ClusterSizes.CHUNKS;
        double rate = lab.tool()
                .run(
                        subject,
                        Workload.INCRBY,
                        ClusterSizes.PIPELINE,
                        requests,
                        lab.sizes().keys());
        subject.expect(Workload.INCRBY, requests);
        return rate;
    }

    /// Ends with the chunk that runs; returns the mean of all chunks' requests a second.
    double end() {
        ending = true;
        try {
            return end.join();
        } catch (CompletionException failure) {
            throw new BenchException("the load beside failed", failure);
        }
    }
}
