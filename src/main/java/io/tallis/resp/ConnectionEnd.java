package io.tallis.resp;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.tallis.command.Client;
import io.tallis.metrics.NetworkEvent;
import io.tallis.resp.socket.LoopTask;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/// The end of one connection: closes it after the last reply, or at once. Belongs to the event loop.
///
///     open ──begin──▶ ending: no request is handled, replies still leave ──all have left──▶ left, then closed
///       ╰──────────────────────── atOnce, for various reasons ────────────────────────────────▲
///
/// The client counts as connected until it has left.
///
/// The last replies must reach the client. If a socket is closed while bytes of the client are unread, TCP discards
/// what
/// is still on its way to the client. Therefore only the server's side is closed at first, and the socket when the
/// client
/// has closed its side or two seconds later.
final class ConnectionEnd {
    private static final Logger LOG = System.getLogger(ConnectionEnd.class.getName());

    /// How long a client may take to read its last replies.
    private static final int SECONDS_TO_READ = 60;

    /// How long a client that has closed its side is kept for the reply to a suspended request. It may have gone, which
    /// nothing reveals as long as nothing is sent to it.
    private static final int SECONDS_TO_ANSWER = 5;

    private static final int SECONDS_TO_CLOSE = 2;

    private final Channel channel;
    private final RespLoop loop;
    private final Client client;
    private final Outbox outbox;
    private final Flow flow;
    private boolean observed;
    private boolean inputEnded;
    private boolean left;
    private long readBy;
    private long answerBy;

    ConnectionEnd(Channel channel, RespLoop loop, Client client, Outbox outbox, Flow flow) {
        this.channel = channel;
        this.loop = loop;
        this.client = client;
        this.outbox = outbox;
        this.flow = flow;
    }

    void opened() {
        observed = true;
        loop.observer().opened(client);
    }

    /// Whether no further request is handled.
    boolean hasBegun() {
        return flow.isStoppedFor(Flow.ENDING);
    }

    void begin() {
        if (!hasBegun()) {
            flow.stop(Flow.ENDING);
            readBy = loop.seconds() + SECONDS_TO_READ;
        }
    }

    /// A request was suspended.
    void suspended() {
        answerBy = loop.seconds() + SECONDS_TO_ANSWER;
    }

    /// The client has closed its side.
    void inputEnded() {
        inputEnded = true;
        suspended();
        closeIfDone();
        if (channel instanceof DuplexChannel socket && socket.isOutputShutdown()) {
            close();
        }
    }

    /// Closes the connection if no more replies will follow and all have left.
    void closeIfDone() {
        boolean isLast = hasBegun() || (inputEnded && flow.isFree());
        if (isLast && !left && outbox.isDone()) {
            begin();
            leave();
            closeAfterSending();
        }
    }

    private void closeAfterSending() {
        boolean waits = !loop.isEnding() && channel.pipeline().get(SslHandler.class) == null;
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(sent -> {
            if (sent.isSuccess() && waits && channel instanceof DuplexChannel socket && !socket.isInputShutdown()) {
                var _ = socket.shutdownOutput();
                new LoopTask(this::close).inSeconds(SECONDS_TO_CLOSE, channel.eventLoop());
            } else {
                close();
            }
        });
    }

    private void close() {
        var _ = channel.close();
    }

    private void leave() {
        left = true;
        if (observed) {
            observed = false;
            loop.observer().closed(client);
        }
    }

    /// Whether the client took too long to read its last replies.
    boolean isOverdue() {
        return hasBegun() && loop.seconds() >= readBy;
    }

    /// Whether the client, which has closed its side, has waited too long for the reply to a suspended request.
    boolean isAnswerOverdue() {
        return inputEnded && flow.isStoppedFor(Flow.SUSPENDED) && loop.seconds() >= answerBy;
    }

    void atOnce() {
        flow.stop(Flow.ENDING);
        leave();
        outbox.close();
        close();
    }

    void atOnce(Level level, String reason) {
        log(level, reason);
        atOnce();
    }

    /// Closes a connection that exceeds a limit, unless it has left.
    void atOnce(NetworkEvent limit, String reason) {
        if (!left) {
            loop.stats().add(limit, 1);
            atOnce(Level.WARNING, reason);
        }
    }

    /// Closes the connection because of a bug: the replies so far may end within one.
    void atOnce(Throwable bug) {
        LOG.log(
                Level.ERROR,
                () -> "Closing the connection from " + client.link().remoteAddress(),
                bug);
        atOnce();
    }

    void log(Level level, String reason) {
        LOG.log(level, "Closing the connection from {0}: {1}", client.link().remoteAddress(), reason);
    }
}
