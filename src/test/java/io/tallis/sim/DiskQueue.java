package io.tallis.sim;

import io.tallis.keyspace.TurnLog;
import io.tallis.testing.Gen;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/// The turns of a process on their way to its disk, in order. The disk may be quick, slow, stuck for a while, or give
/// up on turns, whose rows it then takes late all the same.
final class DiskQueue {
    /// The condition of the disk.
    enum Mood {
        /// Turns are written within the commit.
        INSTANT(0),
        QUICK(200_000),
        SLOW(20_000_000),
        /// Nothing is written and nothing is said.
        STUCK(0),
        /// Nothing is written, and those who wait are told so.
        FAILING(2_000_000);

        private final long nanos;

        Mood(long nanos) {
            this.nanos = nanos;
        }

        boolean writes() {
            return this != STUCK && this != FAILING;
        }
    }

    private static final int CONGESTED = 8;

    /// A turn that waits. Outcomes are given once.
    private static final class Waiting {
        private final Disk.Turn turn;
        private final TurnLog.Outcome outcome;
        private final List<Runnable> then = new ArrayList<>();
        private boolean lost;

        Waiting(Disk.Turn turn, TurnLog.Outcome outcome) {
            this.turn = turn;
            this.outcome = outcome;
        }
    }

    private final EventQueue events;
    private final Gen gen;
    private final Disk disk;
    private final Consumer<List<Disk.Entry>> journalled;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private Mood mood = Mood.QUICK;
    private boolean busy;
    private boolean gone;

    /// `journalled` is called with the rows that are written.
    DiskQueue(EventQueue events, Gen gen, Disk disk, Consumer<List<Disk.Entry>> journalled) {
        this.events = events;
        this.gen = gen;
        this.disk = disk;
        this.journalled = journalled;
    }

    boolean congested() {
        return waiting.size() >= CONGESTED;
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    void mood(Mood mood) {
        this.mood = mood;
        goOn();
    }

    void add(Disk.Turn turn, TurnLog.Outcome outcome) {
        waiting.add(new Waiting(turn, outcome));
        if (mood == Mood.INSTANT) {
            writeAll();
        } else {
            goOn();
        }
    }

    /// Does this when all is written that waits now.
    void whenWritten(Runnable action) {
        if (waiting.isEmpty()) {
            action.run();
        } else {
            waiting.getLast().then.add(action);
        }
    }

    /// The process was killed: nothing that waits will be written.
    void drop() {
        gone = true;
        waiting.clear();
    }

    /// Writes all that waits, because the process is stopped in order.
    void writeAll() {
        while (!waiting.isEmpty()) {
            writeOne();
        }
    }

    private void goOn() {
        if (!busy && !waiting.isEmpty()) {
            busy = true;
            events.in(mood.nanos == 0 ? 0 : gen.between(mood.nanos / 4, mood.nanos * 2), this::work);
        }
    }

    private void work() {
        busy = false;
        if (gone || waiting.isEmpty() || mood == Mood.STUCK) {
            return;
        }
        if (mood == Mood.FAILING) {
            giveUp();
        } else {
            writeOne();
            goOn();
        }
    }

    private void giveUp() {
        List.copyOf(waiting).stream().filter(turn -> !turn.lost).forEach(turn -> {
            turn.lost = true;
            turn.outcome.lost();
        });
    }

    private void writeOne() {
        Waiting next = waiting.remove();
        disk.write(next.lost ? new Disk.Turn(next.turn.entries(), List.of()) : next.turn);
        journalled.accept(next.turn.entries());
        if (!next.lost) {
            next.outcome.written();
        }
        next.then.forEach(Runnable::run);
    }
}
