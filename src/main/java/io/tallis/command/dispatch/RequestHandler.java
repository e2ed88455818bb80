package io.tallis.command.dispatch;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Reply;

/// Handles the requests of all connections: those of one connection in order, on its event loop.
@FunctionalInterface
public interface RequestHandler {
    /// Answers one request, or suspends the client. `arguments` holds at least one word and is reused after the call.
    /// Never throws because of what a client sent.
    void handle(Arguments arguments, Client client, Reply reply);

    /// Called before the requests that a client sent together, in one read, are handled. All of them find the node
    /// loading or none does: else the last ones of a pipeline might run though the first were refused.
    default void begins(Client client) {}

    /// The word of a request that is probably its first key, or 0. Used to prefetch memory, never to decide anything.
    default int probableKey(Arguments arguments) {
        return 0;
    }

    /// The word of a request that is probably a field of the hash with that key, or 0; for the same purpose.
    default int probableField(Arguments arguments) {
        return 0;
    }
}
