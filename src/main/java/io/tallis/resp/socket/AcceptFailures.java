package io.tallis.resp.socket;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.tallis.runtime.Clock;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;

/// Handles failures to accept a connection, as when the process or the machine has no file descriptors left: pauses the
/// listener for a second and logs the failure, at most every 30 seconds. Belongs to the listener's event loop.
///
/// Clients wait in the kernel's queue meanwhile. Failures are not passed on to Netty's own handler, which would log
/// each.
final class AcceptFailures extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = System.getLogger(AcceptFailures.class.getName());
    private static final int PAUSE_SECONDS = 1;
    private static final long SECONDS_BETWEEN_LINES = 30;

    private final Clock clock;
    private long unlogged;
    private long quietUntilNanos;

    AcceptFailures(Clock clock) {
        this.clock = clock;
        quietUntilNanos = clock.nanos();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        long now = clock.nanos();
        if (now - quietUntilNanos >= 0) {
            log(cause);
            quietUntilNanos = now + TimeUnit.SECONDS.toNanos(SECONDS_BETWEEN_LINES);
            unlogged = 0;
        } else {
            unlogged++;
        }
        pause(context.channel());
    }

    private void log(Throwable cause) {
        String before = unlogged == 0 ? "" : " (" + unlogged + " more failures since the last message)";
        LOG.log(Level.ERROR, "Could not accept a client connection: " + cause.getMessage() + before);
    }

    private static void pause(Channel listener) {
        if (listener.config().isAutoRead()) {
            listener.config().setAutoRead(false);
            new LoopTask(() -> goOn(listener)).inSeconds(PAUSE_SECONDS, listener.eventLoop());
        }
    }

    private static void goOn(Channel listener) {
        if (listener.isOpen()) {
            listener.config().setAutoRead(true);
        }
    }
}
