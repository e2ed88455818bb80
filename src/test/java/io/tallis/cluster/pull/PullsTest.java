package io.tallis.cluster.pull;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.delta.Intake;
import io.tallis.cluster.frame.Sender;
import io.tallis.cluster.frame.Transport;
import io.tallis.cluster.peer.Beat;
import io.tallis.cluster.peer.FoldNews;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Known;
import io.tallis.cluster.peer.Peer;
import io.tallis.cluster.peer.Peers;
import io.tallis.cluster.peer.PurgeNews;
import io.tallis.cluster.peer.Sessions;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.peer.Vector;
import io.tallis.cluster.peer.Vitals;
import io.tallis.cluster.records.Self;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.journal.UnjournaledTurns;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.PartitionDigest;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class PullsTest {
    private static final ReplicaId SELF = new ReplicaId(1, 1);
    private static final ReplicaId PROVIDER = new ReplicaId(2, 2);
    private static final long LONGER_THAN_AN_ANSWER_TAKES = TimeUnit.MILLISECONDS.toNanos(1_600);

    private final Keyspace keyspace = new Keyspace(new Replicas(SELF), () -> 7, () -> 1_000_000);
    private final Peers peers = new Peers(SELF);
    private final Sessions sessions = new Sessions(SELF, peers, 0, _ -> false);
    private final List<String> events = new ArrayList<>();
    private final Pulls pulls = new Pulls(
            sessions,
            keyspace,
            new Intake(keyspace, Long.MAX_VALUE, new UnjournaledTurns(), Runnable::run, _ -> {}),
            new Sender(new Nowhere(), SELF),
            () -> 0,
            events::add,
            _ -> true);

    @Test
    void round_thatIsAborted_raisesNoVectorThoughPartOfItIsDone() throws MalformedException {
        Peer peer = providerWithNews();
        long now = 1;
        pulls.start(List.of(peer, peer), _ -> true, now);
        pulls.step(now, false);
        int half = Keyspace.PARTITIONS / 2;

        // The first pull is never answered. The last answer to the other arrives when the first is aborted.
        for (int from = half; from < Keyspace.PARTITIONS - Provider.MOST_SUMS; from += Provider.MOST_SUMS) {
            pulls.onSums(PROVIDER, sums(from, from == half), now);
            pulls.step(now, false);
        }
        for (int i = 0; i < 6; i++) {
            now += LONGER_THAN_AN_ANSWER_TAKES;
            pulls.step(now, false);
        }
        pulls.onSums(PROVIDER, sums(Keyspace.PARTITIONS - Provider.MOST_SUMS, false), now);
        while (!pulls.idle()) {
            now += LONGER_THAN_AN_ANSWER_TAKES;
            pulls.step(now, false);
        }

        assertThat(events).anySatisfy(event -> assertThat(event).startsWith("stopped pulling from provider"));
        assertThat(sessions.known(PROVIDER)).isEqualTo(Known.NOTHING);
        assertThat(pulls.roundsComplete()).isZero();
    }

    private Peer providerWithNews() {
        Peer peer = peers.onFrame(PROVIDER, 0, 0);
        assertThat(peer).isNotNull();
        peer.take(
                new Beat(
                        1,
                        false,
                        1,
                        0,
                        0,
                        JoinState.READY,
                        Standing.NONE,
                        new Self(new UUID(2, 2), "provider", ""),
                        1,
                        0,
                        0,
                        FoldNews.NONE,
                        PurgeNews.NONE,
                        Vitals.NONE,
                        new Vector()),
                0);
        return peer;
    }

    @Test
    void pull_thatIsAborted_releasesTheMemoryForItsCells() throws MalformedException {
        Peer peer = peers.onFrame(PROVIDER, 0, 0);
        assertThat(peer).isNotNull();
        pulls.start(List.of(peer), _ -> true, 1);
        pulls.step(1, false);
        pulls.onSums(PROVIDER, sumsOfMillions(), 1);
        pulls.step(2, false);

        pulls.unreachable(PROVIDER, 3);

        assertThat(pulls.idle()).isTrue();
        assertThat(bytesOfManyKeys(keyspace))
                .isEqualTo(bytesOfManyKeys(new Keyspace(new Replicas(SELF), () -> 7, () -> 1_000_000)));
    }

    private static long bytesOfManyKeys(Keyspace keyspace) {
        Counters counters = new Counters(keyspace, ChangeLog.NONE);
        for (int i = 0; i < 50_000; i++) {
            counters.add(Key.of(("key:" + i).getBytes(StandardCharsets.US_ASCII)), 1);
        }
        return keyspace.bytesUsed();
    }

    /// An answer of the first pull's provider that it has a million cells in each of the first partitions.
    private static ByteReader sumsOfMillions() {
        ByteWriter out = new ByteWriter(100);
        out.i32(1);
        out.varint(0);
        out.varint(Provider.MOST_SUMS);
        out.u8(1);
        new Vector().write(out);
        for (int i = 0; i < Provider.MOST_SUMS; i++) {
            out.varint(1_000_000 << 1);
        }
        return ByteReader.of(out.toByteArray());
    }

    /// The answer of the second pull's provider that nothing differs.
    private ByteReader sums(int first, boolean withVector) {
        ByteWriter out = new ByteWriter(100);
        out.i32(2);
        out.varint(first);
        out.varint(Provider.MOST_SUMS);
        out.u8(withVector ? 1 : 0);
        if (withVector) {
            Vector vector = new Vector();
            vector.raise(PROVIDER, new Known(77, 1));
            vector.write(out);
        }
        for (int i = 0; i < Provider.MOST_SUMS; i++) {
            out.varint(1);
            out.bytes(keyspace.digest(first + i), 0, PartitionDigest.BYTES);
        }
        return ByteReader.of(out.toByteArray());
    }

    private static final class Nowhere implements Transport {
        @Override
        public void multicast(byte[] frame) {}

        @Override
        public void send(ReplicaId to, byte[] frame) {}

        @Override
        public void sendUnreliably(ReplicaId to, byte[] frame) {}
    }
}
