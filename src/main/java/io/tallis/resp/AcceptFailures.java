package io.tallis.resp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.tallis.runtime.Clock;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;

/// A listener that cannot take connections, as when the process or the machine has no more file descriptors: tries
/// again a second later, and says so every now and then. Belongs to the listener's event loop.
///
/// Clients wait in the kernel's queue meanwhile. Nothing goes on to Netty's own handler, which logs every failure.
final class AcceptFailures extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = System.getLogger(AcceptFailures.class.getName());
    private static final int PAUSE_SECONDS = 1;
    private static final long SECONDS_BETWEEN_LINES = 30;

    private final Clock clock;
    private long untold;
    private long silentUntilNanos;

    AcceptFailures(Clock clock) {
        this.clock = clock;
        silentUntilNanos = clock.nanos();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        long now = clock.nanos();
        if (now - silentUntilNanos >= 0) {
            tell(cause);
            silentUntilNanos = now + TimeUnit.SECONDS.toNanos(SECONDS_BETWEEN_LINES);
            untold = 0;
        } else {
            untold++;
        }
        pause(context.channel());
    }

    private void tell(Throwable cause) {
        String before = untold == 0 ? "" : " (and " + untold + " times before)";
        LOG.log(Level.ERROR, "Accepting a client connection: " + cause.getMessage() + before);
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
