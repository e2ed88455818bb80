package io.tallis.sim;

import io.tallis.testing.Gen;
import java.util.List;
import java.util.function.Consumer;

/// Clients that visit one of the serving sessions from time to time, until they are stopped.
final class Visits {
    private final World world;
    private final Gen gen;
    private final long nanos;
    private final Consumer<Session> visit;
    private boolean stopped;

    /// The pause between two visits is `nanos` on average.
    Visits(World world, Gen gen, long nanos, Consumer<Session> visit) {
        this.world = world;
        this.gen = gen;
        this.nanos = nanos;
        this.visit = visit;
    }

    void start() {
        world.events().in(gen.between(0, 2 * nanos), () -> {
            if (!stopped) {
                List<Session> serving = world.living().filter(Session::serves).toList();
                if (!serving.isEmpty()) {
                    visit.accept(gen.pick(serving));
                }
                start();
            }
        });
    }

    void stop() {
        stopped = true;
    }
}
