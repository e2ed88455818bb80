package io.tallis.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// What a counter costs in a node that is restarted again and again and increments the same counters each time.
///
/// Each life of a process adds a shard to every counter that it increments; those of ended lives are folded.
final class Ageing implements Measure {
    private static final int COUNTERS = 200_000;
    private static final List<Integer> RESTARTS = List.of(0, 1, 2, 10, 50, 100, 200);

    @Override
    public String name() {
        return "ageing";
    }

    @Override
    public void take(Lab lab, Results results) {
        ServerKind tallis = lab.kinds().getFirst();
        try (Subject subject = lab.start(tallis, Fsync.EVERYSEC)) {
            double empty = tallis.liveBytes(subject.server());
            for (int restarts = 0; restarts <= RESTARTS.getLast(); restarts++) {
                if (restarts == 0) {
                    subject.fill(COUNTERS);
                } else {
                    subject.change(COUNTERS, number -> number);
                }
                boolean measured = RESTARTS.contains(restarts);
                double live = measured ? (tallis.liveBytes(subject.server()) - empty) / COUNTERS : 0;
                // The checkpoint of a stop writes all changes to the database.
                subject.restart();
                if (measured) {
                    double stored = (double) databaseBytes(subject.dataDirectory()) / COUNTERS;
                    results.add(metric("live", restarts), Side.TALLIS, live);
                    results.add(metric("database", restarts), Side.TALLIS, stored);
                    lab.say("ageing, %d restarts: %.0f bytes live, %.0f in the database", restarts, live, stored);
                }
            }
            subject.audit();
        }
    }

    private static long databaseBytes(Path data) {
        try (Stream<Path> files = Files.walk(data)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> data.relativize(file).getName(0).toString().startsWith("cells"))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Metric metric(String what, int restarts) {
        String point = String.format(Locale.ROOT, "%s, %d restarts", what, restarts);
        return Metric.ofTallis("ageing", point, "B/key", Floor.NONE);
    }
}
