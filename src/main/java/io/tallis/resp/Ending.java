package io.tallis.resp;

import io.netty.channel.Channel;
import io.tallis.command.Client;
import io.tallis.metrics.NetworkEvent;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/// How a connection comes to its end. Belongs to its event loop.
///
///     open --begin--> ending: no requests are handled, replies still leave --all have left--> left, then closed
///          `----------------------------- atOnce, for one reason or another ---------------^
///
/// The client is counted among those that are connected until it is left.
final class Ending {
    private static final Logger LOG = System.getLogger(Ending.class.getName());

    /// How long a client that has ended its side is kept for the answer to a request that takes long. It may be gone,
    /// and there is no other sign of that as long as nothing is sent to it.
    private static final int SECONDS_TO_ANSWER = 5;

    private final Channel channel;
    private final Worker worker;
    private final Client client;
    private final Delivery delivery;
    private final Flow flow;
    private boolean counted;
    private boolean inputEnded;
    private boolean left;
    private long endsBy;
    private long answersBy;

    Ending(Channel channel, Worker worker, Client client, Delivery delivery, Flow flow) {
        this.channel = channel;
        this.worker = worker;
        this.client = client;
        this.delivery = delivery;
        this.flow = flow;
    }

    void opened() {
        counted = true;
        worker.watcher().opened(client);
    }

    /// Whether no more requests are handled.
    boolean hasBegun() {
        return flow.isStoppedFor(Flow.ENDING);
    }

    void begin() {
        if (!hasBegun()) {
            flow.stop(Flow.ENDING);
            endsBy = worker.seconds() + Farewell.SECONDS_TO_READ;
        }
    }

    /// The client waits for an answer from now on.
    void answerIsDue() {
        answersBy = worker.seconds() + SECONDS_TO_ANSWER;
    }

    /// The client has ended its side.
    void inputEnded() {
        inputEnded = true;
        answerIsDue();
        leaveIfDone();
        Farewell.isAnswered(channel);
    }

    /// Closes the connection if nothing more will come of it, and all replies have left.
    void leaveIfDone() {
        boolean isLast = hasBegun() || (inputEnded && flow.isFree());
        if (isLast && !left && delivery.isDone()) {
            begin();
            leave();
            Farewell.say(channel, worker.isEnding());
        }
    }

    private void leave() {
        left = true;
        if (counted) {
            counted = false;
            worker.watcher().closed(client);
        }
    }

    /// Whether the client took too long to read its last replies.
    boolean isOverdue() {
        return hasBegun() && worker.seconds() >= endsBy;
    }

    /// Whether the client, which has ended its side, waited too long for its answer.
    boolean isAnswerOverdue() {
        return inputEnded && flow.isStoppedFor(Flow.SUSPENDED) && worker.seconds() >= answersBy;
    }

    void atOnce() {
        flow.stop(Flow.ENDING);
        leave();
        delivery.close();
        var _ = channel.close();
    }

    void atOnce(Level level, String reason) {
        log(level, reason);
        atOnce();
    }

    /// Closes what goes beyond a limit, unless it is gone already.
    void atOnce(NetworkEvent limit, String reason) {
        if (!left) {
            worker.stats().add(limit, 1);
            atOnce(Level.WARNING, reason);
        }
    }

    /// A mistake of ours closes the connection: what the client was told so far may be half a reply.
    void atOnce(Throwable mistake) {
        LOG.log(Level.ERROR, () -> "Closing " + client.link().remoteAddress(), mistake);
        atOnce();
    }

    void log(Level level, String reason) {
        LOG.log(level, "Closing the connection from {0}: {1}", client.link().remoteAddress(), reason);
    }
}
