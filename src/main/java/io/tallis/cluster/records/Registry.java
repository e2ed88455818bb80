package io.tallis.cluster.records;

import io.tallis.cluster.records.NodeRecord.Life;
import io.tallis.cluster.records.NodeRecord.Session;
import io.tallis.crdt.ReplicaId;
import io.tallis.runtime.Sha256;
import io.tallis.wire.ByteReader;
import io.tallis.wire.MalformedException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Every node known, this one among them, as all nodes come to know it. For people only: no count depends on it.
///
/// A node's version grows by one at each of its starts. It counts on from what it and its peers remember, so that it
/// is beyond whatever was told, or forgotten, of its earlier lives; unless another present session has the same UUID,
/// where both keep their versions, and the larger one is shown.
///
/// Belongs to the replicator's thread; only [#known] is for all. At most [#MOST_NODES] nodes and
/// [#MOST_SESSIONS] sessions are kept; what comes beyond is dropped and counted by [#refused]. Where registries are
/// that full they may differ for good.
public final class Registry {
    /// So many nodes are known at most.
    public static final int MOST_NODES = 65_536;

    /// So many sessions of all nodes are known at most.
    public static final int MOST_SESSIONS = 1 << 20;

    private static final int SESSIONS_TOLD = 64;
    private static final int MOST_PIECE_BYTES = 60_000;

    /// What keeps the registry over the node's lives.
    public interface Store {
        /// Remembers no node: all that is known of nodes is gone with the process.
        Store NONE = new Store() {
            @Override
            public byte @Nullable [] load() {
                return null;
            }

            @Override
            public void save(byte[] bytes) {}
        };

        /// What was saved last, null when there is nothing that can be read.
        byte @Nullable [] load();

        /// Takes bytes to be saved, instead of those that have not been saved yet. Returns soon.
        void save(byte[] bytes);
    }

    private final UUID own;
    private final ReplicaId session;
    private final Store store;
    private final Map<UUID, NodeRecord> records = new HashMap<>();
    private Life life;
    private Set<ReplicaId> present = Set.of();
    private long hash;
    private int sessions;
    private long refused;
    private boolean changed;
    private boolean membersChanged;
    private boolean ownChanged;
    private volatile KnownNodes known;

    /// Knows what the store has, and this session as the newest one of this node.
    public Registry(Self self, ReplicaId session, Store store) {
        own = self.uuid();
        this.session = session;
        this.store = store;
        load();
        life = new Life(
                new Session(nextVersion(), session),
                NodeState.JOINING,
                Texts.clean(self.name(), NodeRecord.MOST_NAME_CHARS),
                Texts.clean(self.clientAddress(), NodeRecord.MOST_ADDRESS_CHARS));
        putOwn();
        known = new KnownNodes(records.values(), present);
    }

    /// Where clients reach this node is known once it listens; before any other node is told.
    public void clientAddress(String address) {
        life = new Life(life.session(), life.state(), life.name(), Texts.clean(address, NodeRecord.MOST_ADDRESS_CHARS));
        NodeRecord record = ownRecord();
        put(new NodeRecord(own, life, record.sessions(), record.forgottenUpTo()));
        known = new KnownNodes(records.values(), present);
    }

    /// A file that cannot be read costs the names of former sessions until a peer tells them.
    private void load() {
        byte[] saved = store.load();
        if (saved == null) {
            return;
        }
        try {
            NodeRecordCodec.read(ByteReader.of(saved)).forEach(this::merge);
        } catch (MalformedException _) {
            refused++;
        }
    }

    private long nextVersion() {
        NodeRecord record = records.get(own);
        long highest = record == null ? 0 : Math.max(record.version(), record.forgottenUpTo());
        return Math.min(highest + 1, NodeRecord.MOST_VERSION);
    }

    /// The own record is kept even where the registry is full.
    private void putOwn() {
        NodeRecord record = records.get(own);
        put(record == null ? NodeRecord.of(own, life) : record.with(life));
    }

    private void merge(NodeRecord told) {
        NodeRecord before = records.get(told.uuid());
        NodeRecord after = before == null ? told : before.merge(told);
        if (after.equals(before)) {
            return;
        }
        boolean room = before != null || records.size() < MOST_NODES;
        int grown = after.sessions().size()
                - (before == null ? 0 : before.sessions().size());
        if (!room || sessions + grown > MOST_SESSIONS) {
            refused++;
        } else {
            put(after);
        }
    }

    private void put(NodeRecord after) {
        NodeRecord before = records.put(after.uuid(), after);
        if (after.equals(before)) {
            return;
        }
        if (before != null) {
            hash -= hash(before);
            sessions -= before.sessions().size();
        }
        hash += hash(after);
        sessions += after.sessions().size();
        changed = true;
        ownChanged |= after.uuid().equals(own);
    }

    private static long hash(NodeRecord record) {
        byte[] digest = Sha256.of(NodeRecordCodec.one(record, NodeRecord.MOST_SESSIONS));
        return ByteBuffer.wrap(digest).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    /// Equal where registries are equal. It differs for a moment whenever a node comes or gets on, so that only a
    /// difference that lasts is worth telling the whole.
    public long hash() {
        return hash;
    }

    /// The body of a frame with this node's record and its newest sessions.
    public byte[] recordFrameBody() {
        return NodeRecordCodec.one(ownRecord(), SESSIONS_TOLD);
    }

    private NodeRecord ownRecord() {
        NodeRecord record = records.get(own);
        return record == null ? NodeRecord.of(own, life) : record;
    }

    /// Whether this node's record has changed since this was last asked.
    public boolean takeOwnChanged() {
        boolean taken = ownChanged;
        ownChanged = false;
        return taken;
    }

    /// The bodies of frames that tell all that is known.
    public List<byte[]> whole() {
        return NodeRecordCodec.pieces(records.values(), MOST_PIECE_BYTES);
    }

    /// Takes the records in that a peer told; none of them when they are malformed.
    public void onRecords(ByteReader body) throws MalformedException {
        NodeRecordCodec.read(body).forEach(this::merge);
        stayNewest();
    }

    /// Who is in the view.
    public void onReachable(Collection<ReplicaId> members) {
        Set<ReplicaId> before = present;
        present = new HashSet<>(members);
        membersChanged |= !present.equals(before);
        stayNewest();
    }

    /// Whoever restored an old disk, or was forgotten while it was cut off, counts on from what the others know.
    private void stayNewest() {
        NodeRecord record = ownRecord();
        ReplicaId newest = record.newest().session().id();
        boolean superseded = !newest.equals(session) && !present.contains(newest);
        if (superseded || record.hidden()) {
            life = new Life(new Session(nextVersion(), session), life.state(), life.name(), life.clientAddress());
            putOwn();
        }
    }

    /// How far this session has come; a state that is not further than the last is passed over.
    public void state(NodeState state) {
        if (state.compareTo(life.state()) > 0) {
            life = new Life(life.session(), state, life.name(), life.clientAddress());
            putOwn();
        }
    }

    /// What came of a wish to forget a node.
    public enum Forgetting {
        DONE,
        UNKNOWN,
        /// The node is there: it must be stopped first.
        PRESENT
    }

    /// Hides a node, on all nodes in time, until it is started again. Its shards stay.
    public Forgetting forget(String who) {
        Optional<NodeRecord> meant = new KnownNodes(records.values(), present).find(who);
        if (meant.isEmpty()) {
            return Forgetting.UNKNOWN;
        }
        NodeRecord record = meant.get();
        if (record.isAmong(present) || record.uuid().equals(own)) {
            return Forgetting.PRESENT;
        }
        put(record.forgotten());
        publish();
        return Forgetting.DONE;
    }

    /// Shows what has changed to other threads, and has it saved. To be called now and then: both cost as much as
    /// there are nodes.
    public void publish() {
        if (changed || membersChanged) {
            membersChanged = false;
            known = new KnownNodes(records.values(), present);
        }
        if (changed) {
            changed = false;
            store.save(
                    NodeRecordCodec.pieces(records.values(), Integer.MAX_VALUE).getFirst());
        }
    }

    /// This node.
    public UUID own() {
        return own;
    }

    /// The nodes as they were last shown.
    public KnownNodes known() {
        return known;
    }

    /// Whether other nodes are known that were not forgotten, so that one that is alone may wait for them.
    public boolean knowsOthers() {
        return records.values().stream()
                .anyMatch(record -> !record.hidden() && !record.uuid().equals(own));
    }

    /// How many records and sessions were dropped for want of room, and saved registries that could not be read.
    public long refused() {
        return refused;
    }
}
