package io.tallis.chaos;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/// What is done and found, printed as it happens. Any thread may tell.
final class Story {
    private static final double NANOS_PER_SECOND = 1e9;

    private final PrintStream out;
    private final long begin = System.nanoTime();
    private final List<String> wrongs = new ArrayList<>();

    Story(PrintStream out) {
        this.out = out;
    }

    synchronized void tell(String what) {
        out.printf("%7.1f s  %s%n", (System.nanoTime() - begin) / NANOS_PER_SECOND, what);
        out.flush();
    }

    /// Something that must not be.
    synchronized void wrong(String what) {
        wrongs.add(what);
        tell("WRONG: " + what);
    }

    synchronized List<String> wrongs() {
        return List.copyOf(wrongs);
    }
}
