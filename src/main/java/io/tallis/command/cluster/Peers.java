package io.tallis.command.cluster;

import java.time.Duration;
import java.util.function.IntConsumer;

/// The other nodes, for commands that wait for them.
@FunctionalInterface
public interface Peers {
    /// Calls `answer` with the number of other nodes whose journals have all changes made on this node before this
    /// call, and all that its disk had at the start: as soon as enough nodes have them, or when the timeout is over.
    /// Any thread may call, and `answer` may be called on any.
    void await(Wait wait, IntConsumer answer);

    /// Of a node without replication.
    Peers NONE = (_, answer) -> answer.accept(0);

    /// The number of nodes that a client waits for, and for how long.
    interface Wait {
        long wanted();

        /// The timeout; zero means none.
        Duration patience();

        /// Whether the client is still connected.
        boolean listens();
    }
}
