package io.tallis.resp;

/// A connection as the classes of its event loop see it: [RespLoop], [LoopTurns] and [Evictor], which know no more of
/// connections. All methods are called on the event loop.
interface LoopMember {
    /// The turn in which the client changed something has ended, and its changes are about to go to the journal.
    void turnEnded(long turn);

    /// The journal has the changes of that turn.
    void turnWritten(long turn);

    /// The journal gave up on a turn in which the client changed something. No reply to it may leave.
    void turnLost();

    /// A new turn has begun after the connection asked for one.
    void turnBegan();

    /// A second has passed.
    void tick();

    /// Handle no more requests, and close the connection when all replies have left.
    void closeAfterReplies();

    /// The bytes that the client takes.
    long bytes();

    /// Whether the connection may be closed to free memory.
    boolean isEvictable();

    /// Close the connection to free memory.
    void evict();
}
