package io.tallis.command;

import java.util.function.Consumer;

/// What a command may do to the connection of a client besides answering. Any thread may call these.
public interface Link {
    /// Where the client comes from, `address:port`.
    String remoteAddress();

    /// Where the client came to, `address:port`.
    String localAddress();

    /// Whether the connection is there, as far as is known.
    boolean isOpen();

    /// Sends something that answers no command, and takes about so many bytes, in order with the answers. Dropped when
    /// the connection is gone.
    void send(int bytes, Consumer<Reply> message);

    /// Closes the connection at once; what was not sent is lost.
    void kill();

    /// Closes the connection when all that was answered before has been sent.
    void closeAfterReplies();

    /// Stops reading requests of this client, whose current command is going to be answered by [Suspension#resume].
    /// Called on the event loop, from within a command.
    Suspension suspend();

    /// A request that is answered later.
    interface Suspension {
        /// Answers the request, on the event loop, and goes on with the next. Only the first call counts.
        void resume(Consumer<Reply> answer);
    }

    /// The number that the system knows the connection by, -1 when it is not known.
    int descriptor();

    /// What waits at the connection, as far as it can be seen while its event loop works on.
    Buffers buffers();

    /// What waits at a connection: `query` bytes of requests that have been received and not been handled, in an
    /// array with room for `queryRoom` more, `words` bytes that tell where the words of one stand, `output` bytes of
    /// replies that the client has not taken, `outputPieces` pieces of which the network has not been given, and
    /// `messages` bytes that answer no command and have not become a reply. `reading` and `writing` are whether the
    /// event loop waits for more to read, and for room to write.
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
