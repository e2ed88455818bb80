package io.tallis.cluster.records;

import io.tallis.cluster.records.NodeRecord.Life;
import io.tallis.cluster.records.NodeRecord.Session;
import io.tallis.crdt.ReplicaId;
import io.tallis.testing.Gen;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// Generates records of few nodes with few sessions, so that they often have something in common.
public final class NodeGen {
    private static final int NODES = 3;
    private static final int SESSIONS = 6;

    private final Gen gen;

    NodeGen(Gen gen) {
        this.gen = gen;
    }

    public static UUID uuid(int node) {
        return new UUID(node, node);
    }

    public static ReplicaId session(int number) {
        return new ReplicaId(7, number);
    }

    public static Life life(long version, int session, NodeState state, String name) {
        return new Life(new Session(version, session(session)), state, name, Addresses.of("10.0.0.1:6379"));
    }

    NodeRecord anyRecord() {
        return anyRecordOf(gen.between(1, NODES));
    }

    NodeRecord anyRecordOf(int node) {
        NodeRecord record = NodeRecord.of(uuid(node), anyLife());
        for (int more = gen.between(0, 4); more > 0; more--) {
            record = record.with(anyLife());
            record = gen.chance(10) ? record.forgotten() : record;
        }
        return record;
    }

    private Life anyLife() {
        NodeState state = gen.pick(List.of(NodeState.values()));
        return life(gen.between(1L, 5L), gen.between(1, SESSIONS), state, gen.pick(List.of("a", "b", "höchst")));
    }

    List<NodeRecord> anyRecords(int most) {
        List<NodeRecord> records = new ArrayList<>();
        for (int count = gen.between(0, most); count > 0; count--) {
            records.add(anyRecord());
        }
        return records;
    }
}
