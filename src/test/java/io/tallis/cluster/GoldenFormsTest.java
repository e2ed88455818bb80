package io.tallis.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Key;
import io.tallis.testing.Golden;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// The bytes that nodes of different versions send each other, and that the file of nodes holds.
final class GoldenFormsTest {
    private static final ReplicaId SELF = new ReplicaId(0x0123456789ABCDEFL, 0xFEDCBA9876543210L);
    private static final ReplicaId OTHER = new ReplicaId(2, 3);
    private static final UUID NODE = new UUID(0x1111222233334444L, 0x5555666677778888L);

    private final ByteWriter out = new ByteWriter(256);

    @Test
    void frame_ofEntries_hasTheGoldenBytes() throws Exception {
        Replicas replicas = new Replicas(SELF);
        Entries entries = new Entries(replicas);
        Counter counter = new Counter().clear(CounterType.PNCOUNT);
        counter.add(Replicas.OWN, 300);
        counter.add(replicas.numberOf(OTHER), -7);
        Frame.begin(out, Kind.DELTA, SELF, 42);
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
                1, true, JoinState.CATCHING_UP, new Self(NODE, "north", "10.0.0.1:6379"), 3, -5, 1L << 60, vector);
        beat.write(out);

        Golden.check("beat-v1", out.toByteArray());
        Beat read = Beat.read(ByteReader.of(Golden.bytes("beat-v1")));
        assertThat(read.self()).isEqualTo(beat.self());
        assertThat(read.vector().of(OTHER)).isEqualTo(new Known(1_000, 1));
    }

    @Test
    void nodes_haveTheGoldenBytes() throws Exception {
        NodeRecord record = NodeRecord.of(
                        NODE, new NodeRecord.Life(new NodeRecord.Session(6, OTHER), NodeState.LEFT, "alt", "a:1"))
                .forgotten()
                .with(new NodeRecord.Life(new NodeRecord.Session(7, SELF), NodeState.READY, "nörd", "b:2"));

        Golden.check("nodes-v1", NodeRecordCodec.one(record, 10));
        assertThat(NodeRecordCodec.read(ByteReader.of(Golden.bytes("nodes-v1"))))
                .containsExactly(record);
    }

    @Test
    void events_haveTheGoldenBytes() throws Exception {
        List<Event> events = List.of(new Event(1_700_000_000_000L, NODE, "north", SELF, 9, "is ready"));

        Golden.check("events-v1", EventCodec.write(NODE, "north", events));
        assertThat(EventCodec.read(SELF, ByteReader.of(Golden.bytes("events-v1"))))
                .isEqualTo(events);
    }

    private static Key key(String name) {
        return Key.of(name.getBytes(StandardCharsets.UTF_8));
    }
}
