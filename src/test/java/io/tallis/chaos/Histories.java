package io.tallis.chaos;

import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/// The histories of all counters that clients add to, set and delete. A few are written at a time; one that is full is
/// followed by that of a new counter. Thread-safe.
final class Histories {
    private static final int WRITTEN_AT_A_TIME = 1_500;
    private static final int BUSY = 16;
    private static final int READ_AT_A_TIME = 500;

    private final List<History> all = new ArrayList<>();
    private final History[] written = new History[WRITTEN_AT_A_TIME];

    private final long clocksDifferNanos;

    Histories(long skewMillis) {
        clocksDifferNanos = TimeUnit.MILLISECONDS.toNanos(2 * skewMillis);
        for (int i = 0; i < written.length; i++) {
            written[i] = next();
        }
    }

    private History next() {
        History history = new History("history:" + all.size(), clocksDifferNanos);
        all.add(history);
        return history;
    }

    /// One of those that are written at present. Half of the requests go to a few of them; the others rest for some
    /// seconds in between, so that they are purged when they are deleted.
    synchronized History pick(RandomGenerator random) {
        return written[random.nextInt(random.nextBoolean() ? BUSY : written.length)];
    }

    /// Begins another in place of one that is full.
    synchronized void replace(History full) {
        for (int i = 0; i < written.length; i++) {
            if (written[i] == full) {
                written[i] = next();
            }
        }
    }

    synchronized int count() {
        return all.size();
    }

    /// Reads all counters from a node that agrees with all others, while no request is in flight, and checks them.
    synchronized void check(RespSocket socket, RunLog log) throws IOException {
        for (int from = 0; from < all.size(); from += READ_AT_A_TIME) {
            List<History> some = all.subList(from, Math.min(all.size(), from + READ_AT_A_TIME));
            some.forEach(history -> socket.add("GET", history.key()));
            socket.flush();
            for (History history : some) {
                history.checkAgreed(value(socket.read())).ifPresent(log::fail);
                history.agreed();
            }
        }
    }

    /// See [History#lose].
    synchronized int lose(Directory directory) {
        return all.stream().mapToInt(history -> history.lose(directory)).sum();
    }

    static long value(String reply) {
        return reply.equals("(nil)") ? 0 : Long.parseLong(reply);
    }
}
