package io.tallis.cluster.pull;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.delta.Answers;
import io.tallis.cluster.frame.Pace;
import io.tallis.cluster.frame.Sender;
import io.tallis.cluster.frame.Transport;
import io.tallis.cluster.peer.Peers;
import io.tallis.cluster.peer.Sessions;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.ChosenKeys;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Keyspace;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The answers to a session that pulls.
final class ProviderTest {
    private static final ReplicaId SELF = new ReplicaId(1, 1);
    private static final ReplicaId PULLER = new ReplicaId(2, 2);
    private static final int PARTITION = 7;
    private static final int CELLS = 2_000;

    private final Keyspace keyspace = new Keyspace(new Replicas(SELF), () -> 7, () -> 1_000_000);
    private final Sessions sessions = new Sessions(SELF, new Peers(SELF), 0, _ -> false);
    private final List<Integer> sent = new ArrayList<>();
    private final List<Integer> tossed = new ArrayList<>();
    private final Provider provider =
            new Provider(keyspace, sessions, new Sender(new Wire(), SELF), new Pace(1L << 40, 1L << 40));

    private void fill() {
        ChosenKeys keys = new ChosenKeys(keyspace, PARTITION, 64);
        Counters clients = new Counters(keyspace, ChangeLog.NONE);
        for (int i = 0; i < CELLS; i++) {
            clients.add(keys.key(i), 1);
        }
    }

    private void pull() throws MalformedException {
        ByteWriter out = new ByteWriter(100);
        out.i32(1);
        out.varint(PARTITION);
        out.u8(0);
        out.i64(0);
        out.u8(1);
        provider.onPull(PULLER, ByteReader.of(out.toByteArray()));
        assertThat(provider.step(1)).isTrue();
    }

    @Test
    void piece_forOneRequester_isLarge() throws MalformedException {
        fill();

        pull();

        assertThat(tossed).isEmpty();
        assertThat(sent)
                .singleElement()
                .satisfies(bytes -> assertThat(bytes).isGreaterThan(2 * Answers.MULTICAST_BYTES));
    }

    private final class Wire implements Transport {
        @Override
        public void multicast(byte[] frame) {
            throw new AssertionError("nobody else wants it");
        }

        @Override
        public void send(ReplicaId to, byte[] frame) {
            sent.add(frame.length);
        }

        @Override
        public void sendUnreliably(ReplicaId to, byte[] frame) {
            tossed.add(frame.length);
        }
    }
}
