package io.tallis.command.cluster;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/// What clients can ask of the cluster that the node is in. Any thread may ask; nothing here waits.
public interface Cluster {
    /// How this node and its peers stand at present.
    Standing standing();

    /// All nodes that are known and were not forgotten, this one among them.
    List<Node> nodes();

    /// The newest things that happened, `most` at most, the newest last.
    List<Happening> newest(int most);

    /// Hides a node until it is started again. `answer` hears on some thread, soon, what came of it.
    void forget(String who, Consumer<Forgetting> answer);

    /// Has this node serve from now on, in step or not; `done` runs on some thread when it does.
    void ready(Runnable done);

    /// What came of a wish to forget a node.
    enum Forgetting {
        DONE,
        UNKNOWN,
        PRESENT
    }

    /// How this session stands: `head` is the number of its last frame of changes, `state` a word for how far it has
    /// joined. `figures` are counts by the names of their fields. `peers` are those present.
    record Standing(
            String session, long head, String state, int percent, Map<String, Long> figures, List<Peer> peers) {}

    /// A present peer. `has` is up to which frame it has this session's changes; `online` is whether it serves.
    record Peer(
            String name,
            String session,
            String clientAddress,
            String state,
            boolean online,
            long has,
            Lag lag,
            Exchange exchange,
            Agreement agrees) {}

    /// What a peer lacks of this session's frames, and for how long the first of them has been out.
    record Lag(long frames, long millis) {}

    /// What passed between this node and a peer, and for how long it has said nothing.
    record Exchange(long bytesIn, long bytesOut, long silentMillis) {}

    /// Whether a peer's counters were equal when they were compared last; where not, this node was sent what it lacked.
    enum Agreement {
        YES,
        REPAIRED,
        NOT_COMPARED
    }

    /// A node. `starts` is how often it was started as far as is known, `session` its newest one, `present` how many
    /// of its sessions are here: more than one where a data directory was copied.
    record Node(
            String name, String uuid, String clientAddress, String state, int present, long starts, String session) {
        /// The state of a node that is gone and has not said so.
        public static final String ABSENT = "absent";

        public boolean absent() {
            return state.equals(ABSENT);
        }
    }

    /// Something that happened to the node of that name.
    record Happening(long epochMillis, String node, String session, String text) {}
}
