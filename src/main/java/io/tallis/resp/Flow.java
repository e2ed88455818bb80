package io.tallis.resp;

import io.netty.channel.Channel;

/// Whether the requests of a connection are handled, and whether more are read from the network.
///
/// Requests stand still for any of several reasons, each of which starts and ends on its own.
final class Flow {
    /// A command is going to be answered later.
    static final int SUSPENDED = 1;

    /// Too much of its replies is waiting for the client or for the journal.
    static final int FULL = 2;

    /// The journal is behind, and has not confirmed what this client changed: so each connection adds at most the
    /// changes of one piece of work to what waits for the disk.
    static final int CONGESTED = 4;

    /// It is the turn of other connections.
    static final int YIELDED = 8;

    /// The connection is being closed.
    static final int ENDING = 16;

    /// No more is read from the network while so much is waiting to be handled.
    static final int MAX_WAITING = 64 * 1024;

    private final Channel channel;
    private int reasons;
    private boolean reading = true;

    Flow(Channel channel) {
        this.channel = channel;
    }

    boolean isFree() {
        return reasons == 0;
    }

    boolean isStoppedFor(int reason) {
        return (reasons & reason) != 0;
    }

    void stop(int reason) {
        reasons |= reason;
    }

    void release(int reason) {
        reasons &= ~reason;
    }

    /// Reads from the network when what comes can be handled, can be dropped, or can be kept beside the bytes that
    /// are waiting.
    void regulate(int waiting) {
        boolean hasRoom = !isStoppedFor(FULL | CONGESTED) && waiting < MAX_WAITING;
        boolean wanted = isFree() || isStoppedFor(ENDING) || hasRoom;
        if (wanted != reading && channel.isOpen()) {
            reading = wanted;
            channel.config().setAutoRead(wanted);
        }
    }
}
