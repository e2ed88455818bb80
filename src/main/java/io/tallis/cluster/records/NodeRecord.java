package io.tallis.cluster.records;

import io.tallis.crdt.ReplicaId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/// What is known of one node, for people: its name and address in its newest session, and its sessions, newest last.
///
/// Records of a node are merged like a CRDT: each part only grows, so the order of merges does not matter. `newest` is
/// the newest life of the node, whose session is the last of `sessions`. Only the newest [#MOST_SESSIONS] sessions are
/// kept; earlier ones are shown by their ids. The node is hidden while the version of its newest session is at most
/// `forgottenUpTo`.
public record NodeRecord(UUID uuid, Life newest, List<Session> sessions, long forgottenUpTo) {
    /// The most sessions that are kept for each node.
    public static final int MOST_SESSIONS = 4096;

    /// A bound on versions that no number of starts reaches, and from which counting on does not overflow.
    static final long MOST_VERSION = 1L << 48;

    public static final int MOST_NAME_CHARS = 200;
    public static final int MOST_ADDRESS_CHARS = 300;

    /// A session, and the number of the start of its node, counted from 1 as far as the node knew.
    public record Session(long version, ReplicaId id) implements Comparable<Session> {
        @Override
        public int compareTo(Session other) {
            int byVersion = Long.compare(version, other.version);
            return byVersion != 0 ? byVersion : id.compareTo(other.id);
        }
    }

    /// What a node says of itself in one session. Ordered by session; the state decides between an older and a newer
    /// copy of the same session, and the texts only matter if a peer sends wrong ones.
    public record Life(Session session, NodeState state, String name, Addresses addresses) implements Comparable<Life> {
        private static final Comparator<Life> AGE = Comparator.comparing(Life::session)
                .thenComparing(Life::state)
                .thenComparing(Life::name)
                .thenComparing(Life::addresses);

        @Override
        public int compareTo(Life other) {
            return AGE.compare(this, other);
        }
    }

    public NodeRecord {
        sessions = List.copyOf(sessions);
    }

    /// The record of a node of which one life is known.
    static NodeRecord of(UUID uuid, Life life) {
        return new NodeRecord(uuid, life, List.of(life.session()), 0);
    }

    /// How often the node was started, as far as is known.
    public long version() {
        return newest.session().version();
    }

    /// Whether one of its sessions is in `some`.
    boolean isAmong(Set<ReplicaId> some) {
        return sessions.stream().anyMatch(session -> some.contains(session.id()));
    }

    boolean hidden() {
        return version() <= forgottenUpTo;
    }

    /// Merges this record with another one of the same node.
    NodeRecord merge(NodeRecord other) {
        Life later = newest.compareTo(other.newest) >= 0 ? newest : other.newest;
        return new NodeRecord(
                uuid, later, union(sessions, other.sessions), Math.max(forgottenUpTo, other.forgottenUpTo));
    }

    /// All sessions of both, each with its larger version.
    private static List<Session> union(List<Session> some, List<Session> others) {
        Map<ReplicaId, Session> byId = HashMap.newHashMap(some.size() + others.size());
        some.forEach(session -> byId.put(session.id(), session));
        others.forEach(session -> byId.merge(session.id(), session, NodeRecord::later));
        List<Session> all = new ArrayList<>(byId.values());
        Collections.sort(all);
        return newestOf(all, MOST_SESSIONS);
    }

    private static Session later(Session one, Session other) {
        return one.version() >= other.version() ? one : other;
    }

    static <T> List<T> newestOf(List<T> all, int most) {
        return all.subList(Math.max(0, all.size() - most), all.size());
    }

    /// This record with a newer life.
    NodeRecord with(Life life) {
        return merge(of(uuid, life));
    }

    NodeRecord forgotten() {
        return new NodeRecord(uuid, newest, sessions, version());
    }
}
