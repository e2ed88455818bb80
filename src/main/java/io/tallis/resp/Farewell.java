package io.tallis.resp;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;

/// Closes a connection such that its client gets what was written before.
///
/// When a socket is closed while bytes that the client sent are unread, TCP drops what is still on its way to the
/// client. So only our side is closed at first; the rest follows when the client has closed its own, or soon.
final class Farewell {
    /// How long a client may take to read its last replies.
    static final int SECONDS_TO_READ = 60;

    private static final int SECONDS_TO_LEAVE = 2;

    private Farewell() {}

    /// Closes when all that was written has been sent; with `atOnce` whatever the client is sending.
    static void say(Channel channel, boolean atOnce) {
        boolean wait = !atOnce && channel.pipeline().get(SslHandler.class) == null;
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(sent -> {
            if (sent.isSuccess() && wait && channel instanceof DuplexChannel socket && !socket.isInputShutdown()) {
                var _ = socket.shutdownOutput();
                new LoopTask(() -> close(channel)).inSeconds(SECONDS_TO_LEAVE, channel.eventLoop());
            } else {
                close(channel);
            }
        });
    }

    /// The client has closed its side: closes what is left when we have closed ours.
    static void isAnswered(Channel channel) {
        if (channel instanceof DuplexChannel socket && socket.isOutputShutdown()) {
            close(channel);
        }
    }

    private static void close(Channel channel) {
        var _ = channel.close();
    }
}
