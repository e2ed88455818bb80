package io.tallis.resp;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.tallis.runtime.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/// The sockets that clients connect to.
///
/// An address is a name or number, `*` (all of IPv4) or `::*` (all of IPv6). One with a `-` in front may be missing
/// on this machine.
final class Listeners {
    private static final long MILLIS_TO_CLOSE = 1_000;

    private final List<Channel> channels = new ArrayList<>();
    private final Clock clock;

    Listeners(Clock clock) {
        this.clock = clock;
    }

    /// Listens at a port of all addresses; port 0 becomes one that is free, for all addresses the same. Returns the
    /// port.
    int open(ServerBootstrap bootstrap, List<String> addresses, int port) throws IOException {
        int chosen = port;
        boolean any = false;
        for (String address : addresses) {
            boolean optional = address.startsWith("-");
            String host = optional ? address.substring(1) : address;
            try {
                Channel channel = listen(bootstrap, host, chosen);
                channels.add(channel);
                chosen = ((InetSocketAddress) channel.localAddress()).getPort();
                any = true;
            } catch (MissingAddressException e) {
                if (!optional) {
                    throw e;
                }
            }
        }
        if (!any) {
            throw new IOException("Could not listen on port " + port + ": no address of " + addresses + " is there");
        }
        return chosen;
    }

    private Channel listen(ServerBootstrap bootstrap, String host, int port) throws IOException {
        String place = host + ":" + port;
        ServerBootstrap own = bootstrap.clone().handler(new AcceptFailures(clock));
        ChannelFuture bound = own.bind(new InetSocketAddress(resolve(host, place), port));
        bound.awaitUninterruptibly();
        Throwable cause = bound.cause();
        if (cause == null) {
            return bound.channel();
        }
        String reason = reason(cause);
        if (reason.contains("assign requested address") || reason.contains("not supported")) {
            throw new MissingAddressException(place, reason, cause);
        }
        throw new IOException("Could not listen on " + place + ": " + reason, cause);
    }

    private static InetAddress resolve(String host, String place) throws MissingAddressException {
        try {
            return switch (host) {
                case "*" -> InetAddress.ofLiteral("0.0.0.0");
                case "::*" -> InetAddress.ofLiteral("::");
                default -> InetAddress.getByName(host);
            };
        } catch (UnknownHostException e) {
            throw new MissingAddressException(place, "the address is not known", e);
        }
    }

    /// What the system says, without what Netty puts in front.
    private static String reason(Throwable cause) {
        String text = String.valueOf(cause.getMessage());
        return text.substring(text.lastIndexOf(": ") + 1).strip();
    }

    /// Listens no more. Not for ever does it wait for an event loop that stands still.
    void close() {
        channels.forEach(channel -> channel.close().awaitUninterruptibly(MILLIS_TO_CLOSE));
    }

    /// This machine does not have the address.
    private static final class MissingAddressException extends IOException {
        private static final long serialVersionUID = 1;

        MissingAddressException(String place, String reason, Throwable cause) {
            super("Could not listen on " + place + ": " + reason, cause);
        }
    }
}
