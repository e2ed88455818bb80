package io.tallis.command;

/// Takes the requests of all connections, each connection's in order, on its event loop.
@FunctionalInterface
public interface RequestHandler {
    /// Answers one request, or suspends the client. `arguments` holds at least one word and is reused when this
    /// returns. Never throws for anything that a client can send.
    void handle(Arguments arguments, Client client, Reply reply);

    /// Requests of a client have come: those that came together find the server loading all, or none.
    default void begins(Client client) {}

    /// Which word of a request is probably its first key, 0 if none is. For having its memory ready; nothing is decided
    /// by it.
    default int probableKey(Arguments arguments) {
        return 0;
    }
}
