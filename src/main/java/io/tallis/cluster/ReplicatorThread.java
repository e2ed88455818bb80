package io.tallis.cluster;

import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.Transport;
import io.tallis.crdt.ReplicaId;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Threads;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The thread `replicator`, which a [Replicator] belongs to, and its inbox.
///
/// While too much waits for the disk, frames that bring cells wait here; all others are answered, since only this
/// node can tell others what they miss of it. Frames beyond [#MOST_BYTES] are dropped and counted, those without cells
/// beyond [#MOST_BYTES_OF_OTHERS] more: all that they bring is asked for again. Of views only the newest is kept. Tasks
/// have no bound of their own: there is one for each commit, each answer that a client waits for, and each order of an
/// operator.
public final class ReplicatorThread implements Transport.Receiver, AutoCloseable {
    private static final long MOST_BYTES =
            Math.min(64 << 20, Runtime.getRuntime().maxMemory() / 16);

    private static final long MOST_BYTES_OF_OTHERS = 8 << 20;

    /// What a frame that waits takes beside its bytes.
    private static final int OVERHEAD_BYTES = 100;

    private static final int FRAMES_A_TURN = 64;
    private static final long LONGEST_SLEEP_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long SECONDS_TO_END = 5;

    private final Clock clock;
    private final Replicator replicator;
    private final Queue<Arrival> frames = new ConcurrentLinkedQueue<>();

    /// Frames that wait for the disk. For the thread itself.
    private final ArrayDeque<Arrival> held = new ArrayDeque<>();

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicReference<@Nullable List<ReplicaId>> view = new AtomicReference<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean sleeping;
    private volatile boolean closed;
    private volatile @Nullable Thread thread;
    private volatile Runnable repairsListener = () -> {};
    private boolean repairedMuch;

    private ReplicatorThread(Clock clock, Function<Executor, Replicator> make) {
        this.clock = clock;
        replicator = make.apply(this::execute);
    }

    /// Makes a replicator, whose mailbox is the thread's, and starts the thread.
    public static ReplicatorThread start(Clock clock, Function<Executor, Replicator> make) {
        var started = new ReplicatorThread(clock, make);
        started.thread = Threads.start("replicator", started::run);
        return started;
    }

    /// A frame that waits.
    private static final class Arrival {
        private final ReplicaId from;
        private final byte[] frame;

        private Arrival(ReplicaId from, byte[] frame) {
            this.from = from;
            this.frame = frame;
        }
    }

    @Override
    public void onFrame(ReplicaId from, byte[] frame) {
        int size = frame.length + OVERHEAD_BYTES;
        long most = Frame.bringsCells(frame) ? MOST_BYTES : MOST_BYTES + MOST_BYTES_OF_OTHERS;
        if (bytes.get() + size > most) {
            dropped.incrementAndGet();
            return;
        }
        bytes.addAndGet(size);
        frames.add(new Arrival(from, frame));
        wake();
    }

    @Override
    public void onView(List<ReplicaId> members) {
        view.set(List.copyOf(members));
        wake();
    }

    /// Has the replicator do something, on its thread; never, once that has ended.
    public void ask(Consumer<Replicator> what) {
        execute(() -> what.accept(replicator));
    }

    private void execute(Runnable task) {
        tasks.add(task);
        wake();
    }

    /// How replication stands, as it was told last.
    public ReplicationStatus status() {
        return replicator.status();
    }

    /// Whether much of what nodes differ in passes, as was seen last.
    public boolean repairsMuch() {
        return replicator.repairsMuch();
    }

    /// From now on runs `listener` often while [#repairsMuch], and once when that is over; on the replicator's thread.
    public void tellOfRepairs(Runnable listener) {
        repairsListener = listener;
    }

    private void tellOfRepairs(boolean much) {
        if (much || repairedMuch) {
            repairsListener.run();
        }
        repairedMuch = much;
    }

    /// There may be something to do. Cheap when the thread is awake.
    public void wake() {
        if (sleeping) {
            sleeping = false;
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        try {
            while (!closed) {
                turn();
            }
            replicator.ends();
        } finally {
            ended.countDown();
        }
    }

    private void turn() {
        long now = clock.nanos();
        replicator.advanceTo(now);
        List<ReplicaId> newest = view.getAndSet(null);
        if (newest != null) {
            replicator.onView(newest);
        }
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        replicator.foundNoRoom(dropped.get());
        boolean congested = replicator.congested();
        for (int i = 0; i < FRAMES_A_TURN; i++) {
            Arrival arrival = next(congested);
            if (arrival == null) {
                break;
            }
            bytes.addAndGet(-arrival.frame.length - OVERHEAD_BYTES);
            replicator.onFrame(arrival.from, arrival.frame);
        }
        replicator.hasBacklog(!frames.isEmpty() || !held.isEmpty());
        long nanos = replicator.onTime(clock.nanos());
        tellOfRepairs(replicator.repairsMuch());
        sleep(congested ? Math.min(nanos, PAUSE_NANOS) : nanos, congested);
    }

    /// The next frame to be taken in, in the order they came but for those that wait for the disk.
    private @Nullable Arrival next(boolean congested) {
        if (!congested && !held.isEmpty()) {
            return held.poll();
        }
        for (Arrival arrival = frames.poll(); arrival != null; arrival = frames.poll()) {
            if (!congested || !Frame.bringsCells(arrival.frame)) {
                return arrival;
            }
            held.add(arrival);
        }
        return null;
    }

    /// Whoever adds something does so before it looks whether this thread sleeps.
    private void sleep(long nanos, boolean congested) {
        if (nanos <= 0) {
            return;
        }
        sleeping = true;
        boolean idle =
                tasks.isEmpty() && view.get() == null && frames.isEmpty() && (congested || held.isEmpty()) && !closed;
        // Changes that came since would have made the time shorter.
        if (idle && !replicator.hasUnseenChanges()) {
            LockSupport.parkNanos(this, Math.min(nanos, LONGEST_SLEEP_NANOS));
        }
        sleeping = false;
    }

    /// Ends the thread; what waits is dropped.
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            if (!ended.await(SECONDS_TO_END, TimeUnit.SECONDS)) {
                System.getLogger(ReplicatorThread.class.getName())
                        .log(System.Logger.Level.WARNING, "the replicator does not end");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
