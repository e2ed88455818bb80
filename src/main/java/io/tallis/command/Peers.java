package io.tallis.command;

import java.time.Duration;
import java.util.function.IntConsumer;

/// The other nodes, as far as clients wait for them.
@FunctionalInterface
public interface Peers {
    /// Tells how many other nodes have in their journals all that was changed here before this call, by whomever, and
    /// all that the node began with: as soon as so many have as the wait wants, or when its patience is over. Any
    /// thread may call, and be told.
    void await(Wait wait, IntConsumer answer);

    /// A node by itself.
    Peers NONE = (_, answer) -> answer.accept(0);

    /// How many nodes a client wants, and how long it waits for them.
    interface Wait {
        long wanted();

        /// Zero is for ever.
        Duration patience();

        /// Whether the client is still there to hear the answer.
        boolean listens();
    }
}
