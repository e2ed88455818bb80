package io.tallis.command;

import java.util.function.Consumer;

/// What a command or another thread may do with a client's connection besides replying: message, suspend, close. Any
/// thread may call this, unless a method says otherwise.
public interface Link {
    /// The client's `address:port`.
    String remoteAddress();

    /// The `address:port` of this server that the client connected to.
    String localAddress();

    /// Whether the connection is open, as far as the server knows.
    boolean isOpen();

    /// Whether the client speaks another protocol than RESP, which is translated.
    default boolean isTranslated() {
        return false;
    }

    /// Sends a message of about `bytes` bytes that is not a reply, in order with the replies. Dropped when the
    /// connection is closed.
    void send(int bytes, Consumer<Reply> message);

    /// Closes the connection at once. Replies that have not been sent are lost.
    void kill();

    /// Closes the connection when all replies given so far have been sent.
    void closeAfterReplies();

    /// Stops handling requests of this client until its current command is answered through [Suspension#resume]. Called
    /// on the event loop, by a command.
    Suspension suspend();

    /// A request that will be answered later.
    interface Suspension {
        /// Answers the request on the event loop and goes on with the next one. Only the first call has an effect.
        void resume(Consumer<Reply> answer);
    }

    /// The file descriptor of the socket, or -1 when it is unknown.
    int descriptor();

    /// The sizes of the connection's buffers. Approximate, since the event loop may be changing them.
    Buffers buffers();

    /// Sizes of the buffers of a connection: `query` bytes of requests received and not completely handled, in an array
    /// with `queryRoom` bytes left; `words` bytes for the table of words of an unusually long request; `output` bytes
    /// of replies that the client has not taken, `outputPieces` of which have not been handed to the network;
    /// `messages` bytes of messages that have not been encoded. `reading` and `writing` tell whether the event loop
    /// waits to read from the socket, and to write to it.
    record Buffers(
            long query,
            long queryRoom,
            long words,
            int outputPieces,
            long output,
            long messages,
            boolean reading,
            boolean writing) {}
}
