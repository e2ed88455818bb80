package io.tallis.command.cluster;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/// The cluster as clients see it: its nodes and their state. Any thread may call; no method blocks.
public interface Cluster {
    /// The state of this node and its peers.
    Standing standing();

    /// The UUID of this node.
    String ownUuid();

    /// All known nodes that were not forgotten, including this one.
    List<Node> nodes();

    /// How many nodes there are, and how many of them have been here for a second. Costs nothing.
    Reach reach();

    /// The latest events, at most `most`, the newest last.
    List<Happening> newest(int most);

    /// Hides the node of that name or UUID until it starts again. `answer` is called with the result, soon, on some
    /// thread.
    void forget(String node, Consumer<Forgetting> answer);

    /// Keeps this node from serving clients until [#ready]. `done` runs on some thread when it has stopped. Returns
    /// false if there are no other nodes for them.
    boolean hold(Runnable done);

    /// Makes this node serve data from now on, complete or not. `done` runs on some thread when it serves.
    void ready(Runnable done);

    /// Folds ended sessions as soon as all nodes are there, without waiting for `fold-after`.
    void fold();

    /// Purges deleted counters as soon as all nodes are there, however few there are.
    void purge();

    /// The result of forgetting a node.
    enum Forgetting {
        DONE,
        UNKNOWN,
        PRESENT
    }

    /// The state of this session: `head` is the number of its last frame of changes, `state` the progress of joining in
    /// one word, `cluster` the id of the cluster that the node belongs to, or [#NO_CLUSTER]. `figures` are counts by
    /// the names of their fields, and so are `texts`: from where a packet was refused last, and what the next fold of
    /// ended sessions and the next purge wait for, each empty if there is nothing. `peers` are the reachable ones.
    record Standing(
            String session,
            long head,
            String state,
            int percent,
            String cluster,
            Map<String, Long> figures,
            Map<String, String> texts,
            List<Peer> peers) {
        public static final String NO_CLUSTER = "none";
    }

    /// A present peer. `has` is the last frame of this session up to which it has all changes; `online` tells whether
    /// it serves data.
    record Peer(
            String name,
            String session,
            String clientAddress,
            String state,
            boolean online,
            long has,
            Lag lag,
            Exchange exchange,
            Vitals vitals,
            Agreement agrees) {}

    /// The version of a peer, how long it has been running, and the commands that it runs in a second at present.
    record Vitals(String version, long upSeconds, long commandsPerSecond) {}

    /// The number of this session's frames that a peer lacks, and the time since the first of them was sent.
    record Lag(long frames, long millis) {}

    /// The bytes exchanged with a peer, the time since its last frame, and how far its clock is ahead of this node's.
    record Exchange(long bytesIn, long bytesOut, long silentMillis, long clockAheadMillis) {}

    /// Whether a peer's counters were equal in the last comparison. If not, this node received what it lacked.
    enum Agreement {
        YES,
        REPAIRED,
        NOT_COMPARED
    }

    /// A node. `httpAddress` is a URL, empty if it does not serve HTTP, and `slotsAddress` is where it serves clients
    /// of Redis Cluster, empty if it does not. `present` is the number of its sessions in the cluster, which exceeds
    /// one when a data directory was copied. `awaySeconds` is for how long this process has seen it unreachable or not
    /// serving, 0 if it serves. `starts` is the number of its known starts, `session` the newest one.
    record Node(
            String name,
            String uuid,
            String clientAddress,
            String httpAddress,
            String slotsAddress,
            String state,
            int present,
            long awaySeconds,
            long starts,
            String session) {
        /// The state of a node that did not stop and sends nothing.
        public static final String UNREACHABLE = "unreachable";

        /// The state of a node that serves data.
        private static final String READY = "ready";

        public boolean isReady() {
            return state.equals(READY);
        }

        public boolean isUnreachable() {
            return state.equals(UNREACHABLE);
        }
    }

    /// How many nodes can be reached and serve, this one included, of so many that there are.
    record Reach(int here, int known) {}

    /// An event at the node of that name.
    record Happening(long epochMillis, String node, String session, String text) {}
}
