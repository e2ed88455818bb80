package io.tallis.journal.checkpoint;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.journal.checkpoint.Ledger.Name;
import io.tallis.journal.checkpoint.Ledger.Row;
import io.tallis.journal.log.Barrier;
import io.tallis.journal.log.CheckpointJournal;
import io.tallis.journal.log.DiskTrouble;
import io.tallis.journal.log.FsyncPolicy;
import io.tallis.journal.log.JournalLoop;
import io.tallis.journal.log.JournalSettings;
import io.tallis.journal.log.LogWriter;
import io.tallis.journal.log.Segments;
import io.tallis.journal.log.Spares;
import io.tallis.journal.log.TurnLogs;
import io.tallis.journal.recovery.Loading;
import io.tallis.journal.recovery.Recovery;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Merges;
import io.tallis.keyspace.ReceivedCell;
import io.tallis.keyspace.TurnLog;
import io.tallis.runtime.Live;
import io.tallis.testing.Gen;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/// A process on a simulated machine: the product's journal and checkpoints with all threads played by one, which
/// switches between them as `gen` says, and which enters in a ledger what clients are told.
public final class SimulatedProcess implements CheckpointJournal {
    public static final long SEGMENT_BYTES = 1 << 10;

    private static final int LOOPS = 2;
    private static final int KEYS = 3;
    private static final int PEERS = 2;
    static final int BATCH_BYTES = 32;
    private static final int PATIENCE = 50;
    private static final String LEFT = "left";
    private static final String RIGHT = "right";

    public final Keyspace keyspace;
    public final Segments segments;
    public final Loading loading;
    final Generations database;
    public final LogWriter log;
    public final DiskTrouble trouble;
    public final JournalLoop journal;
    public final List<Loop> loops = new ArrayList<>();

    /// What other threads do during a pause of a checkpoint.
    Runnable whileResting = this::actAside;

    private final Gen gen;
    private final SimulatedMachine machine;
    private final Ledger ledger;
    private final FsyncPolicy policy;
    private final TurnLogs logs;
    final Checkpointer checkpointer;

    /// Starts on what the machine holds.
    public SimulatedProcess(SimulatedMachine machine, FsyncPolicy policy, Ledger ledger, Gen gen) throws IOException {
        this.machine = machine;
        this.policy = policy;
        this.ledger = ledger;
        this.gen = gen;
        Replicas replicas = new Replicas(new ReplicaId(gen.anyLong(), gen.between(1, Long.MAX_VALUE)));
        keyspace = new Keyspace(replicas, gen::anyLong, this::epochMillis);
        JournalSettings settings = new JournalSettings(null, SEGMENT_BYTES, 4 * SEGMENT_BYTES, 10);
        segments = new Segments(machine.disk, settings);
        loading = new Loading(machine.clock);
        Recovery.Loaded loaded = new Recovery(machine.generations, segments, keyspace, loading, 1).run(gen::anyLong);
        database = loaded.generations();
        log = loaded.log();
        logs = new TurnLogs(replicas);
        trouble = new DiskTrouble(machine.clock);
        journal = new JournalLoop(log, segments, logs.inbox(), trouble, settings, Live.fixed(policy), machine.clock);
        checkpointer = new Checkpointer(
                keyspace, database, this, () -> {}, machine.clock, BATCH_BYTES, _ -> whileResting.run());
        for (int i = 0; i < LOOPS; i++) {
            loops.add(new Loop());
        }
    }

    /// The time of day.
    long epochMillis() {
        return machine.clock.epochMillis();
    }

    /// One thing that one of the threads does.
    void act() {
        Loop loop = gen.pick(loops);
        switch (gen.between(0, 19)) {
            case 0, 1, 2, 3 -> loop.add();
            case 4, 5 -> loop.set();
            case 6 -> loop.delete();
            case 7, 8 -> loop.merge();
            case 9 -> loops.getFirst().addToBoth();
            case 10, 11, 12 -> loop.commit();
            case 13, 14 -> step();
            case 15 -> shortStep();
            case 16 -> syncBehind();
            case 17 -> segments.spares().prepare(Spares.Filling.UNPAUSED);
            case 18 -> checkpoint();
            default -> {
                machine.clock.advance(Duration.ofMillis(gen.between(1, 2_000)));
                journal.loseOverdue();
            }
        }
    }

    /// What all threads but the checkpoint's do.
    private void actAside() {
        Loop loop = gen.pick(loops);
        switch (gen.between(0, 6)) {
            case 0 -> loop.add();
            case 1 -> loop.set();
            case 2 -> loop.delete();
            case 3 -> loops.getFirst().addToBoth();
            case 4 -> loop.commit();
            case 5 -> shortStep();
            default -> step();
        }
    }

    public void step() {
        machine.clock.advance(Duration.ofMillis(1));
        journal.step();
        noteSafety();
    }

    /// What a thread does that has handed over a turn. Returns whether it left nothing to do.
    public boolean shortStep() {
        machine.clock.advance(Duration.ofMillis(1));
        boolean done = journal.shortStep();
        noteSafety();
        return done;
    }

    private void syncBehind() {
        try {
            log.sync();
            journal.writeDurableMark();
            noteSafety();
        } catch (IOException e) {
            machine.clock.advance(Duration.ofMillis(1));
        }
    }

    private void noteSafety() {
        if (policy == FsyncPolicy.ALWAYS || (log.bytesAtRisk() == 0 && !log.broken())) {
            ledger.promiseAcknowledged();
        }
    }

    /// Takes a checkpoint. Returns whether it came to its end.
    public boolean checkpoint() {
        try {
            checkpointer.run(() -> {});
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public long rotate() throws IOException {
        syncBehind();
        return pass(true);
    }

    @Override
    public void makeDurable() throws IOException {
        pass(false);
        log.sync();
        noteSafety();
    }

    private long pass(boolean rotates) throws IOException {
        Barrier barrier = newBarrier(rotates);
        journal.request(barrier);
        for (int i = 0; i < PATIENCE && !barrier.passed().isDone(); i++) {
            actAside();
            gen.pick(loops).commit();
            machine.clock.advance(Duration.ofSeconds(1));
            step();
        }
        actAside();
        actAside();
        try {
            return barrier.passed().isDone() ? barrier.passed().get() : timeout();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } catch (ExecutionException e) {
            throw (IOException) e.getCause();
        }
    }

    public Barrier newBarrier(boolean rotates) {
        return new Barrier(logs.all(), rotates);
    }

    private static long timeout() throws IOException {
        throw new IOException("the journal takes too long");
    }

    @Override
    public void release(long number) throws IOException {
        segments.release(number);
    }

    /// What the process tells a client that a counter is worth.
    public long value(String key) {
        Counters counters = loops.getFirst().counters;
        counters.read(CounterType.PNCOUNT, Loop.named(key));
        return counters.value();
    }

    /// The same of a counter that only grows.
    long growthOf(String key) {
        Counters counters = loops.getFirst().counters;
        counters.read(CounterType.GCOUNT, Loop.named(key));
        return counters.value();
    }

    /// Adds to a counter in a turn of its own and has it written.
    public void count(String key, long amount) {
        Loop loop = loops.getFirst();
        loop.add(key, amount);
        loop.commit();
        step();
    }

    /// One event loop.
    public final class Loop {
        public final TurnLog turns = new LedgerLog(logs.newLog());
        final Counters counters = new Counters(keyspace, turns);

        public int written;
        public int lost;

        private List<Row> recorded = new ArrayList<>();

        public void add() {
            change(() -> counters.add(key(), gen.between(-5, 5)));
        }

        public void add(String key, long amount) {
            counters.add(named(key), amount);
        }

        void mergeFromPeer(String key, long amount) {
            Cell theirs = new Cell().clear(CounterType.PNCOUNT);
            theirs.add(keyspace.replicas().numberOf(new ReplicaId(0, 1)), amount);
            new Merges(counters.keyspace(), counters.log()).merge(named(key), theirs);
        }

        void delete(String key) {
            counters.delete(CounterType.PNCOUNT, named(key));
        }

        void set() {
            change(() -> resetting(key -> counters.assign(key, gen.between(-5, 5), Counters.KEEP)));
        }

        void delete() {
            change(() -> resetting(key -> counters.delete(CounterType.PNCOUNT, key)));
        }

        /// Adds to two counters in one transaction.
        void addToBoth() {
            change(() -> {
                Key left = named(LEFT);
                Key right = named(RIGHT);
                BitSet partitions = new BitSet();
                partitions.set(keyspace.partitionOf(left));
                partitions.set(keyspace.partitionOf(right));
                counters.lockAll(partitions);
                turns.beginGroup();
                counters.grow(left, 1);
                counters.grow(right, 1);
                turns.endGroup();
                counters.unlockAll(partitions);
            });
        }

        /// Merges what a peer has: its own shard, and perhaps a reset of all that it saw.
        void merge() {
            Cell theirs = new Cell().clear(CounterType.PNCOUNT);
            Key key = key();
            counters.read(CounterType.PNCOUNT, key);
            theirs.copyFrom(counters.cell());
            int peer = keyspace.replicas().numberOf(new ReplicaId(0, gen.between(1, PEERS)));
            Cell before = ledger.translate(theirs, keyspace.replicas());
            boolean resets = gen.chance(30) && theirs.reset();
            theirs.add(peer, gen.between(1, 5));
            new Merges(counters.keyspace(), counters.log()).merge(key, theirs);
            if (resets) {
                ledger.reset(
                        Name.of(CounterType.PNCOUNT, key),
                        before,
                        ledger.translate(counters.cell(), keyspace.replicas()));
            }
        }

        private void change(Runnable change) {
            if (trouble.refusal() == null && !turns.congested()) {
                change.run();
            }
        }

        private void resetting(Consumer<Key> change) {
            Key key = key();
            counters.read(CounterType.PNCOUNT, key);
            Cell before = ledger.translate(counters.cell(), keyspace.replicas());
            change.accept(key);
            counters.read(CounterType.PNCOUNT, key);
            Cell after = ledger.translate(counters.cell(), keyspace.replicas());
            ledger.reset(Name.of(CounterType.PNCOUNT, key), before, after);
        }

        private Key key() {
            return named("k" + gen.between(1, KEYS));
        }

        private static Key named(String name) {
            return Key.of(name.getBytes(StandardCharsets.ISO_8859_1));
        }

        public void commit() {
            List<Row> rows = recorded;
            recorded = new ArrayList<>();
            turns.commit(new TurnLog.Outcome() {
                @Override
                public void written() {
                    ledger.acknowledge(rows);
                    written++;
                }

                @Override
                public void lost() {
                    lost++;
                }
            });
        }

        /// Keeps in mind what it passes on.
        private final class LedgerLog implements TurnLog {
            private final TurnLog real;

            LedgerLog(TurnLog real) {
                this.real = real;
            }

            @Override
            public void record(Key key, Cell counter, boolean whole) {
                real.record(key, counter, whole);
                Cell row = whole
                        ? ledger.translate(counter, keyspace.replicas())
                        : ledger.translateOwn(counter, keyspace.replicas());
                recorded.add(new Row(Name.of(counter.type(), key), row));
            }

            @Override
            public void recordReceived(ReceivedCell cell) {
                throw new AssertionError("clients' changes only");
            }

            @Override
            public void beginGroup() {
                real.beginGroup();
            }

            @Override
            public void endGroup() {
                real.endGroup();
            }

            @Override
            public boolean hasChanges() {
                return real.hasChanges();
            }

            @Override
            public void commit(Outcome outcome) {
                real.commit(outcome);
            }

            @Override
            public boolean isLong() {
                return real.isLong();
            }

            @Override
            public boolean congested() {
                return real.congested();
            }
        }
    }
}
