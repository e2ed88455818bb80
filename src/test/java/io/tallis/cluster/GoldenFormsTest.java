package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.delta.Entries;
import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.peer.Beat;
import io.tallis.cluster.peer.ClusterId;
import io.tallis.cluster.peer.FoldNews;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Known;
import io.tallis.cluster.peer.Purge;
import io.tallis.cluster.peer.PurgeNews;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.peer.Vector;
import io.tallis.cluster.peer.Vitals;
import io.tallis.cluster.records.Self;
import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Key;
import io.tallis.testing.Golden;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// The bytes that nodes of different versions send each other.
final class GoldenFormsTest {
    private static final ReplicaId SELF = new ReplicaId(0x0123456789ABCDEFL, 0xFEDCBA9876543210L);
    private static final ReplicaId OTHER = new ReplicaId(2, 3);
    private static final UUID NODE = new UUID(0x1111222233334444L, 0x5555666677778888L);

    private final ByteWriter out = new ByteWriter(256);

    @Test
    void frame_ofEntries_hasTheGoldenBytes() throws Exception {
        Replicas replicas = new Replicas(SELF);
        Entries entries = new Entries(replicas);
        Cell counter = new Cell().clear(CounterType.PNCOUNT);
        counter.add(Replicas.OWN, 300);
        counter.add(replicas.numberOf(OTHER), -7);
        Frame.begin(out, Kind.DELTA, SELF, 42, 0);
        entries.own(CounterType.PNCOUNT, key("own"), counter, out);
        entries.whole(CounterType.PNCOUNT, key("whole"), counter, out);
        counter.reset();
        entries.own(CounterType.PNCOUNT, key("reset"), counter, out);

        Golden.check("frame-delta-v1", Frame.seal(out, 1));
    }

    @Test
    void beat_hasTheGoldenBytes() throws Exception {
        Vector vector = new Vector();
        vector.raise(OTHER, new Known(1_000, 1));
        Beat beat = new Beat(
                1,
                true,
                300,
                1_764_000_000_123L,
                -9,
                JoinState.CATCHING_UP,
                Standing.complete(new ClusterId(1_764_000_000_000L, 5)).after(new Purge(3, 77)),
                new Self(NODE, "north", "10.0.0.1:6379"),
                3,
                -5,
                1L << 60,
                new FoldNews(7, 8, 9, true, 10),
                new PurgeNews(11, true, false, 12),
                new Vitals("0.1.0 (4f2a)", 86_400, 70_000),
                vector);
        beat.write(out);

        Golden.check("beat-v1", out.toByteArray());
        Beat read = Beat.read(ByteReader.of(Golden.bytes("beat-v1")));
        assertThat(read.self()).isEqualTo(beat.self());
        assertThat(read.number()).isEqualTo(300);
        assertThat(read.standing()).isEqualTo(beat.standing());
        assertThat(read.vitals()).isEqualTo(beat.vitals());
        assertThat(read.vector().of(OTHER)).isEqualTo(new Known(1_000, 1));
    }

    private static Key key(String name) {
        return Key.of(name.getBytes(StandardCharsets.UTF_8));
    }
}
