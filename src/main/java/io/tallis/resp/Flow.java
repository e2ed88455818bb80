package io.tallis.resp;

import io.netty.channel.Channel;

/// Back-pressure of one connection: whether its requests are handled, and whether more are read from the network.
///
/// Handling stops for any of several reasons, each of which begins and ends independently of the others.
final class Flow {
    /// A command will be answered later.
    static final int SUSPENDED = 1;

    /// Too many bytes of replies wait for the client or for the journal.
    static final int FULL = 2;

    /// The journal is behind and has not confirmed a change of this client. So each connection adds at most the changes
    /// of one piece of work to what waits for the disk.
    static final int CONGESTED = 4;

    /// Other connections go first; this one continues in the next turn.
    static final int YIELDED = 8;

    /// The connection is being closed.
    static final int ENDING = 16;

    /// Reading stops while so many bytes are waiting to be handled.
    static final int MAX_WAITING = 64 * 1024;

    private final Channel channel;
    private final FrontEnd.Upstream upstream;
    private int reasons;
    private boolean reading = true;

    Flow(Channel channel, FrontEnd.Upstream upstream) {
        this.channel = channel;
        this.upstream = upstream;
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

    /// Turns reading on or off: it is on if received bytes can be handled, can be dropped, or fit beside those that are
    /// `waiting`.
    void regulate(int waiting) {
        boolean hasRoom = !isStoppedFor(FULL | CONGESTED) && waiting < MAX_WAITING;
        boolean wanted = isFree() || isStoppedFor(ENDING) || hasRoom;
        if (wanted != reading && channel.isOpen()) {
            reading = wanted;
            upstream.read(wanted);
        }
    }
}
