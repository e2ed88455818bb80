package io.tallis.cluster.records;

import io.tallis.cluster.records.NodeRecord.Life;
import io.tallis.cluster.records.NodeRecord.Session;
import io.tallis.crdt.ReplicaId;
import io.tallis.runtime.Sha256;
import io.tallis.wire.ByteReader;
import io.tallis.wire.MalformedException;
import java.io.IOException;
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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The records of all known nodes, this one among them, which nodes exchange until all have the same. For people,
/// and for folds and purges, which wait until all nodes that it knows are there.
///
/// A node's version grows by one at each start. It continues from what the node and its peers remember, so that it is
/// higher than that of all earlier lives, forgotten ones included. If another reachable session has the same UUID, both
/// keep their versions, and the record shows the higher one.
///
/// Belongs to the replicator's thread; any thread may call [#known]. At most [#MOST_NODES] nodes and [#MOST_SESSIONS]
/// sessions are kept; further ones are dropped and counted by [#refused], and then registries of nodes may stay
/// different.
public final class Registry {
    /// The most nodes that are kept.
    static final int MOST_NODES = 65_536;

    /// The most sessions of all nodes together that are kept.
    public static final int MOST_SESSIONS = 1 << 20;

    private static final int SESSIONS_SENT = 64;
    private static final int MOST_PIECE_BYTES = 60_000;

    /// Keeps the registry over restarts of the node.
    public interface Store {
        /// Keeps nothing.
        Store NONE = new Store() {
            @Override
            public byte @Nullable [] load() {
                return null;
            }

            @Override
            public void save(byte[] bytes) {}
        };

        /// What was saved last, null if nothing was. Throws if that is damaged or cannot be read.
        byte @Nullable [] load() throws IOException;

        /// Saves `bytes` in the background, in place of any that still wait to be saved.
        void save(byte[] bytes);
    }

    private static final int MOST_NAMED = 5;

    private final UUID own;
    private final ReplicaId session;
    private final Store store;
    private final Map<UUID, NodeRecord> records = new HashMap<>();
    private Life life;
    private Set<ReplicaId> reachable = Set.of();
    private long hash;
    private int sessions;
    private long refused;
    private boolean unreadable;
    private boolean changed;
    private boolean reachableChanged;
    private boolean ownChanged;
    private volatile KnownNodes known;

    /// Starts with the records of the store, and with this session as the newest of this node.
    public Registry(Self self, ReplicaId session, Store store) {
        own = self.uuid();
        this.session = session;
        this.store = store;
        load();
        life = new Life(
                new Session(nextVersion(), session),
                NodeState.JOINING,
                Texts.clean(self.name(), NodeRecord.MOST_NAME_CHARS),
                self.addresses().clean());
        putOwn();
        known = new KnownNodes(records.values(), reachable);
    }

    /// Sets the addresses for clients, which are known once the node listens. Called before the node contacts others.
    public void addresses(Addresses addresses) {
        life = new Life(life.session(), life.state(), life.name(), addresses.clean());
        NodeRecord record = ownRecord();
        put(new NodeRecord(own, life, record.sessions(), record.forgottenUpTo()));
        known = new KnownNodes(records.values(), reachable);
    }

    /// If the file cannot be read, the names of former sessions are missing until a peer sends them.
    private void load() {
        try {
            byte[] saved = store.load();
            if (saved != null) {
                NodeRecordCodec.read(ByteReader.of(saved)).forEach(this::merge);
            }
        } catch (IOException _) {
            unreadable = true;
            refused++;
        }
    }

    private long nextVersion() {
        NodeRecord record = records.get(own);
        long highest = record == null ? 0 : Math.max(record.version(), record.forgottenUpTo());
        return Math.min(highest + 1, NodeRecord.MOST_VERSION);
    }

    /// The own record is kept even if the registry is full.
    private void putOwn() {
        NodeRecord record = records.get(own);
        put(record == null ? NodeRecord.of(own, life) : record.with(life));
    }

    private void merge(NodeRecord received) {
        NodeRecord before = records.get(received.uuid());
        NodeRecord after = before == null ? received : before.merge(received);
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

    /// A hash of all records. It differs between nodes for a moment whenever a record changes, so only a difference
    /// that lasts shows that records have to be exchanged.
    public long hash() {
        return hash;
    }

    /// The body of a frame with this node's own record and its newest sessions.
    public byte[] ownRecordBody() {
        return NodeRecordCodec.one(ownRecord(), SESSIONS_SENT);
    }

    private NodeRecord ownRecord() {
        NodeRecord record = records.get(own);
        return record == null ? NodeRecord.of(own, life) : record;
    }

    /// Whether this node's own record has changed since the last call.
    public boolean takeOwnChanged() {
        boolean taken = ownChanged;
        ownChanged = false;
        return taken;
    }

    /// The bodies of frames with all records.
    public List<byte[]> allRecordBodies() {
        return NodeRecordCodec.pieces(records.values(), MOST_PIECE_BYTES);
    }

    /// Merges the records that a peer sent; none of them if any is malformed. Nodes that are new are given to the store
    /// at once.
    public void onRecords(ByteReader body) throws MalformedException {
        Set<UUID> before = nodes();
        NodeRecordCodec.read(body).forEach(this::merge);
        ensureNewest();
        if (!before.containsAll(nodes())) {
            publish();
        }
    }

    /// The set of reachable sessions has changed.
    public void onReachable(Collection<ReplicaId> members) {
        Set<ReplicaId> before = reachable;
        reachable = new HashSet<>(members);
        reachableChanged |= !reachable.equals(before);
        ensureNewest();
    }

    /// Raises the version of this session if it is not the newest: the data directory was restored from a backup, or
    /// the node was forgotten while it was cut off.
    private void ensureNewest() {
        NodeRecord record = ownRecord();
        ReplicaId newest = record.newest().session().id();
        boolean superseded = !newest.equals(session) && !reachable.contains(newest);
        if (superseded || record.hidden()) {
            life = new Life(new Session(nextVersion(), session), life.state(), life.name(), life.addresses());
            putOwn();
        }
    }

    /// Sets the state of this session; ignored if it is not later than the present one.
    public void state(NodeState state) {
        if (state.compareTo(life.state()) > 0) {
            life = new Life(life.session(), state, life.name(), life.addresses());
            putOwn();
        }
    }

    /// The outcome of [#forget].
    public enum Forgetting {
        DONE,
        UNKNOWN,
        /// The node is reachable, or this node: it must be stopped first.
        PRESENT
    }

    /// Hides a node until it is started again; other nodes learn of it. Its counts stay.
    public Forgetting forget(String name) {
        Optional<NodeRecord> meant = new KnownNodes(records.values(), reachable).find(name);
        if (meant.isEmpty()) {
            return Forgetting.UNKNOWN;
        }
        NodeRecord record = meant.get();
        if (record.isAmong(reachable) || record.uuid().equals(own)) {
            return Forgetting.PRESENT;
        }
        put(record.forgotten());
        publish();
        return Forgetting.DONE;
    }

    /// Makes changes visible to other threads, and saves them. To be called now and then, since the cost grows with the
    /// number of nodes.
    public void publish() {
        if (changed || reachableChanged) {
            reachableChanged = false;
            known = new KnownNodes(records.values(), reachable);
        }
        if (changed) {
            changed = false;
            store.save(
                    NodeRecordCodec.pieces(records.values(), Integer.MAX_VALUE).getFirst());
        }
    }

    /// The UUID of this node.
    public UUID own() {
        return own;
    }

    /// The known nodes as last published.
    public KnownNodes known() {
        return known;
    }

    /// How many nodes there may be, this one included: as many as are known, or any number if what this node once knew
    /// could not be read.
    public int nodesExpected() {
        return unreadable ? MOST_NODES : known.visible().size();
    }

    /// The names of nodes that are known and not reachable, as last published; of many the first ones.
    public List<String> unreachable() {
        return known.visible().stream()
                .filter(record -> !record.uuid().equals(own) && !record.isAmong(reachable))
                .limit(MOST_NAMED)
                .map(record -> known.nameOf(record.uuid()))
                .toList();
    }

    /// The ids of the nodes that there are, this one among them; empty if they could not be read.
    public Set<UUID> nodes() {
        return unreadable
                ? Set.of()
                : records.values().stream()
                        .filter(record -> !record.hidden())
                        .map(NodeRecord::uuid)
                        .collect(Collectors.toSet());
    }

    /// How many records were dropped because the registry is full, and saved registries because they could not be read.
    public long refused() {
        return refused;
    }
}
