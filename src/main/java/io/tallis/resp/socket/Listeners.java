package io.tallis.resp.socket;

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
/// An address is a host name, an IP address, `*` (all of IPv4) or `::*` (all of IPv6). An address with a `-` in front
/// is
/// skipped if this machine does not have it.
public final class Listeners {
    private static final long MILLIS_TO_CLOSE = 1_000;

    private final List<Channel> channels = new ArrayList<>();
    private final Clock clock;

    public Listeners(Clock clock) {
        this.clock = clock;
    }

    /// Listens on a port of all addresses. Port 0 stands for a free port, the same for all addresses. Returns the
    /// addresses
    /// with their port.
    public List<InetSocketAddress> open(ServerBootstrap bootstrap, List<String> addresses, int port)
            throws IOException {
        int chosen = port;
        List<InetSocketAddress> bound = new ArrayList<>();
        for (String address : addresses) {
            boolean optional = address.startsWith("-");
            String host = optional ? address.substring(1) : address;
            try {
                Channel channel = listen(bootstrap, host, chosen);
                channels.add(channel);
                bound.add((InetSocketAddress) channel.localAddress());
                chosen = bound.getLast().getPort();
            } catch (MissingAddressException e) {
                if (!optional) {
                    throw e;
                }
            }
        }
        if (bound.isEmpty()) {
            throw new IOException("Could not listen on port " + port + ": this machine has no address of " + addresses);
        }
        return bound;
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
            throw new MissingAddressException(place, "unknown address", e);
        }
    }

    /// The text of the system's error, without the prefix that Netty adds.
    private static String reason(Throwable cause) {
        String text = String.valueOf(cause.getMessage());
        return text.substring(text.lastIndexOf(": ") + 1).strip();
    }

    /// Closes the sockets. Waits at most a second for each, in case its event loop hangs.
    public void close() {
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
