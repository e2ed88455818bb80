package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.frame.Transport;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.records.Chronicle;
import io.tallis.cluster.records.Records;
import io.tallis.cluster.records.Registry;
import io.tallis.cluster.records.Self;
import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.StandInTurnLog;
import io.tallis.runtime.Clock;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ReplicatorThreadTest {
    private static final ReplicaId SELF = new ReplicaId(1, 1);
    private static final ReplicaId PEER = new ReplicaId(2, 2);
    private static final byte[] NAME = {'a'};

    private final Keyspace keyspace = new Keyspace(new Replicas(SELF), () -> 5, () -> 1_000_000);
    private final Queue<Kind> sent = new ConcurrentLinkedQueue<>();
    private volatile boolean diskIsBehind;

    @Test
    void frames_whileTheDiskIsCongested_waitOnlyIfTheyBringCells() {
        diskIsBehind = true;
        try (ReplicatorThread thread = start()) {
            thread.onView(List.of(SELF, PEER));
            thread.onFrame(PEER, delta());
            thread.onFrame(PEER, Frame.seal(begun(Kind.VECTOR_ASK), Frame.OLDEST_VERSION));

            await().until(() -> sent.contains(Kind.VECTOR));
            assertThat(value()).isZero();
            diskIsBehind = false;
            await().until(() -> value() == 5);
        }
    }

    @Test
    void repairLoad_whileItIsHigh_callsTheListenerUntilItIsOver() {
        Queue<Boolean> told = new ConcurrentLinkedQueue<>();
        try (ReplicatorThread thread = start()) {
            thread.onRepairLoad(() -> told.add(thread.isRepairLoadHigh()));
            thread.onView(List.of(SELF, PEER));
            ByteWriter answer = begun(Kind.ANSWER);
            answer.bytes(new byte[100_000], 0, 100_000);
            byte[] frame = Frame.seal(answer, Frame.OLDEST_VERSION);

            await().until(() -> {
                thread.onFrame(PEER, frame);
                return thread.isRepairLoadHigh();
            });
            await().until(() -> told.contains(false));

            assertThat(told).startsWith(true);
            assertThat(told.stream().filter(much -> !much)).hasSize(1);
        }
    }

    private ReplicatorThread start() {
        Self self = new Self(new UUID(1, 1), "one", "127.0.0.1:1");
        var records = new Records(
                new Registry(self, SELF, Registry.Store.NONE), new Chronicle(self, SELF, () -> 0, (_, _) -> {}));
        return ReplicatorThread.start(
                Clock.system(),
                mailbox -> new Replicator(
                        new Replicator.Ports(
                                keyspace,
                                new BusyDisk(),
                                new Wire(),
                                (_, done, _) -> done.run(),
                                () -> 5,
                                System::nanoTime,
                                () -> 1,
                                _ -> {},
                                mailbox,
                                reason -> {
                                    throw new AssertionError(reason);
                                }),
                        self,
                        SmallCluster.SETTINGS,
                        records,
                        Standing.complete(SmallCluster.CLUSTER)));
    }

    private long value() {
        Counters counters = new Counters(keyspace, ChangeLog.NONE);
        counters.read(CounterType.PNCOUNT, Key.of(NAME));
        return counters.value();
    }

    private static byte[] delta() {
        Replicas replicas = new Replicas(PEER);
        Cell counter = new Cell().clear(CounterType.PNCOUNT);
        counter.add(Replicas.OWN, 5);
        ByteWriter out = begun(Kind.DELTA);
        CellCodec codec = new CellCodec(replicas);
        codec.encodeKey(CounterType.PNCOUNT, NAME, 0, NAME.length, out);
        codec.encode(counter, Replicas.OWN, out);
        return Frame.seal(out, Frame.OLDEST_VERSION);
    }

    private static ByteWriter begun(Kind kind) {
        ByteWriter out = new ByteWriter(100);
        Frame.begin(out, kind, PEER, 1, 0);
        return out;
    }

    /// A disk that accepts everything, but is congested at first.
    private final class BusyDisk extends StandInTurnLog {
        @Override
        protected void committed(Outcome outcome) {
            outcome.written();
        }

        @Override
        public boolean congested() {
            return diskIsBehind;
        }
    }

    /// A transport that records what is sent.
    private final class Wire implements Transport {
        @Override
        public void multicast(byte[] frame) {
            sent.add(Kind.ofCode(frame[3]));
        }

        @Override
        public void send(ReplicaId to, byte[] frame) {
            multicast(frame);
        }

        @Override
        public void sendUnreliably(ReplicaId to, byte[] frame) {
            multicast(frame);
        }
    }
}
