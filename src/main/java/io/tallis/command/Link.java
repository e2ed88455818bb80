package io.tallis.command;

import java.util.function.Consumer;

/// What a command may do to the connection of a client besides answering. Any thread may call these.
public interface Link {
    /// Where the client comes from, `address:port`.
    String remoteAddress();

    /// Where the client came to, `address:port`.
    String localAddress();

    /// Sends something that answers no command, in order with the answers. Dropped when the connection is gone.
    void send(Consumer<Reply> message);

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

    /// Bytes of requests that have been received and not been handled.
    long queryBufferBytes();

    /// Bytes of replies that the client has not taken yet.
    long outputBufferBytes();
}
