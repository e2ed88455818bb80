package io.tallis.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/// All counters with deadlines. A few are used at a time; when one has ended, its key is used again, or another takes
/// its place, so that keys which have ended are there to be looked at. Thread-safe.
final class Windows {
    private static final int USED_AT_A_TIME = 64;
    private static final int ONE_SHORT_IN = 4;
    private static final int ONE_SPLIT_IN = 4;
    private static final int ONE_FORMER_IN = 20;
    private static final int ONE_REPLACED_IN = 10;
    private static final int SHORTEST_MILLIS = 300;
    private static final int SHORT_MILLIS = 3_000;
    private static final int LONGEST_MILLIS = 8_000;

    private final long skewMillis;
    private final List<Window> used = new ArrayList<>();
    private final List<Window> former = new ArrayList<>();
    private int keys;
    private int lives;

    Windows(long skewMillis, RandomGenerator random) {
        this.skewMillis = skewMillis;
        for (int i = 0; i < USED_AT_A_TIME; i++) {
            used.add(next(freshKey(), false, random));
        }
    }

    private String freshKey() {
        return "window:" + keys++;
    }

    private Window next(String key, boolean isAgain, RandomGenerator random) {
        lives++;
        boolean isShort = random.nextInt(ONE_SHORT_IN) == 0;
        // Those that are not short are whole for a while, whatever the clocks say.
        long length = isShort
                ? random.nextLong(SHORTEST_MILLIS, SHORT_MILLIS)
                : random.nextLong(SHORT_MILLIS, LONGEST_MILLIS) + 2 * skewMillis;
        return new Window(new Window.Plan(key, length, random.nextInt(ONE_SPLIT_IN) == 0, isAgain), skewMillis);
    }

    /// One of those that are used at present, which may have ended, or now and then one that was used before.
    synchronized Window pick(RandomGenerator random, long now) {
        if (!former.isEmpty() && random.nextInt(ONE_FORMER_IN) == 0) {
            return former.get(random.nextInt(former.size()));
        }
        int place = random.nextInt(used.size());
        Window window = used.get(place);
        if (window.isDone(now) && random.nextInt(ONE_REPLACED_IN) == 0) {
            boolean again = random.nextBoolean() && window.retire(now);
            if (!again) {
                former.add(window);
            }
            used.set(place, next(again ? window.plan().key() : freshKey(), again, random));
        }
        return used.get(place);
    }

    /// The last window of each key.
    synchronized List<Window> all() {
        List<Window> all = new ArrayList<>(former);
        all.addAll(used);
        return all;
    }

    /// See [Window#lose].
    int lose(Directory directory) {
        return all().stream().mapToInt(window -> window.lose(directory)).sum();
    }

    /// How many windows there are, of all keys.
    synchronized int lives() {
        return lives;
    }
}
