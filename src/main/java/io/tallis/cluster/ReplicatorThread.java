package io.tallis.cluster;

import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.Transport;
import io.tallis.crdt.ReplicaId;
import io.tallis.metrics.DurationHistogram;
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

/// The thread `replicator`, to which a [Replicator] belongs, and its inbox.
///
/// In a cycle it takes the newest view, the tasks and some frames out of the inbox, and calls [Replicator#onTime]. Then
/// it sleeps until something arrives or is due.
///
/// While the disk is congested, frames with cells stay in the inbox. Others are still handled, since peers depend on
/// the answers. The inbox holds frames of [#MOST_BYTES], and [#MOST_BYTES_WITHOUT_CELLS] more of frames without cells.
/// Frames beyond that are dropped and counted, and what they contained is asked for again. Tasks are bounded by what
/// makes them: one for each commit, each waiting client and each command of an operator.
public final class ReplicatorThread implements Transport.Receiver, AutoCloseable {
    private static final long MOST_BYTES =
            Math.min(64 << 20, Runtime.getRuntime().maxMemory() / 16);

    private static final long MOST_BYTES_WITHOUT_CELLS = 8 << 20;

    /// The memory that a waiting frame takes beside its bytes.
    private static final int OVERHEAD_BYTES = 100;

    private static final int FRAMES_A_CYCLE = 64;
    private static final long MOST_SLEEP_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long CONGESTED_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long SECONDS_TO_END = 5;

    private final Clock clock;
    private final Replicator replicator;
    private final Queue<Arrival> frames = new ConcurrentLinkedQueue<>();

    /// Frames with cells that wait while the disk is congested. Used by the thread itself only.
    private final ArrayDeque<Arrival> held = new ArrayDeque<>();

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicReference<@Nullable List<ReplicaId>> view = new AtomicReference<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean sleeping;
    private volatile boolean closed;
    private volatile @Nullable Thread thread;
    private volatile Runnable repairLoadListener = () -> {};
    private boolean wasRepairLoadHigh;

    private ReplicatorThread(Clock clock, Function<Executor, Replicator> make) {
        this.clock = clock;
        replicator = make.apply(this::execute);
    }

    /// Makes a replicator, giving it the mailbox of this thread, and starts the thread.
    public static ReplicatorThread start(Clock clock, Function<Executor, Replicator> make) {
        var started = new ReplicatorThread(clock, make);
        started.thread = Threads.start("replicator", started::run);
        return started;
    }

    /// A frame in the inbox.
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
        long most = Frame.bringsCells(frame) ? MOST_BYTES : MOST_BYTES + MOST_BYTES_WITHOUT_CELLS;
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

    /// Runs `what` on the replicator's thread; never, once that has ended.
    public void ask(Consumer<Replicator> what) {
        execute(() -> what.accept(replicator));
    }

    private void execute(Runnable task) {
        tasks.add(task);
        wake();
    }

    /// The newest published status.
    public ReplicationStatus status() {
        return replicator.status();
    }

    /// How long changes of this node take to be in the journals of its peers.
    public DurationHistogram convergence() {
        return replicator.convergence();
    }

    /// Whether repair traffic is heavy, see [RepairLoad].
    public boolean isRepairLoadHigh() {
        return replicator.isRepairLoadHigh();
    }

    /// Sets the listener that runs in each cycle while [#isRepairLoadHigh], and once after, on the replicator's thread.
    public void onRepairLoad(Runnable listener) {
        repairLoadListener = listener;
    }

    private void reportRepairLoad(boolean high) {
        if (high || wasRepairLoadHigh) {
            repairLoadListener.run();
        }
        wasRepairLoadHigh = high;
    }

    /// Wakes the thread if it sleeps, because there may be something to do. Cheap when it is awake.
    public void wake() {
        if (sleeping) {
            sleeping = false;
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        try {
            while (!closed) {
                cycle();
            }
            replicator.close();
        } finally {
            ended.countDown();
        }
    }

    private void cycle() {
        long now = clock.nanos();
        replicator.advanceTo(now);
        List<ReplicaId> newest = view.getAndSet(null);
        if (newest != null) {
            replicator.onView(newest);
        }
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        replicator.inboxFull(dropped.get());
        boolean congested = replicator.congested();
        for (int i = 0; i < FRAMES_A_CYCLE; i++) {
            Arrival arrival = next(congested);
            if (arrival == null) {
                break;
            }
            bytes.addAndGet(-arrival.frame.length - OVERHEAD_BYTES);
            replicator.onFrame(arrival.from, arrival.frame);
        }
        replicator.setBacklog(!frames.isEmpty() || !held.isEmpty());
        long nanos = replicator.onTime(clock.nanos());
        reportRepairLoad(replicator.isRepairLoadHigh());
        sleep(congested ? Math.min(nanos, CONGESTED_SLEEP_NANOS) : nanos, congested);
    }

    /// The next frame to handle: in order of arrival, except that frames with cells are held while the disk is
    /// congested.
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

    /// Sleeps unless something has arrived. No wake-up is missed: `sleeping` is set before the inbox is checked here,
    /// and other threads add to the inbox before they check `sleeping`.
    private void sleep(long nanos, boolean congested) {
        if (nanos <= 0) {
            return;
        }
        sleeping = true;
        boolean idle =
                tasks.isEmpty() && view.get() == null && frames.isEmpty() && (congested || held.isEmpty()) && !closed;
        // Changes that were made since onTime would have made the sleep shorter.
        if (idle && !replicator.hasNewChanges()) {
            LockSupport.parkNanos(this, Math.min(nanos, MOST_SLEEP_NANOS));
        }
        sleeping = false;
    }

    /// Ends the thread; what is in the inbox is dropped.
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        try {
            if (!ended.await(SECONDS_TO_END, TimeUnit.SECONDS)) {
                System.getLogger(ReplicatorThread.class.getName())
                        .log(
                                System.Logger.Level.WARNING,
                                "The replicator thread did not end within " + SECONDS_TO_END + " s.");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
