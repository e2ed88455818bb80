package io.tallis.cluster.records;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.ReplicaId;
import io.tallis.testing.Golden;
import io.tallis.wire.ByteReader;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// The form of node records between nodes of different versions and in the file of nodes.
final class GoldenRecordsTest {
    private static final ReplicaId SELF = new ReplicaId(0x0123456789ABCDEFL, 0xFEDCBA9876543210L);
    private static final ReplicaId OTHER = new ReplicaId(2, 3);
    private static final UUID NODE = new UUID(0x1111222233334444L, 0x5555666677778888L);

    @Test
    void nodes_haveTheGoldenBytes() throws Exception {
        NodeRecord record = NodeRecord.of(
                        NODE,
                        new NodeRecord.Life(
                                new NodeRecord.Session(6, OTHER), NodeState.LEFT, "alt", Addresses.of("a:1")))
                .forgotten()
                .with(new NodeRecord.Life(
                        new NodeRecord.Session(7, SELF), NodeState.READY, "nörd", new Addresses("b:2", "b:3", "b:4")));

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
}
