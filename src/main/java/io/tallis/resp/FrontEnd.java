package io.tallis.resp;

import io.netty.channel.Channel;
import io.tallis.resp.socket.Tls;
import org.jspecify.annotations.Nullable;

/// What the connections of a listener have in front of RESP: nothing, TLS, or handlers that translate the requests of
/// another protocol into those of RESP, and the replies of RESP into its responses.
///
///     socket ──▶ handlers of the front end ──▶ RespConnection     requests, as bytes of RESP
///     socket ◀── handlers of the front end ◀── RespConnection     replies, as bytes of RESP
///
/// Behind its handlers a connection is like any other. So limits, order, and the moment when a reply may leave (I3) are
/// the same for all protocols, and no front end has to know of them.
public interface FrontEnd {
    /// Adds its handlers to the end of the pipeline of a new connection. Those of RESP follow. Handlers that translate
    /// tell the meter what they read and write, in place of the connection.
    ///
    /// To close the connection when all replies have left, a handler fires
    /// [io.netty.channel.socket.ChannelInputShutdownEvent], as the socket does when the client has closed its side.
    Upstream addTo(Channel channel, Meter meter);

    /// The response to a client that is not admitted, because of this error of RESP. It is sent without the handlers.
    default String refusal(String error) {
        return error;
    }

    /// The front end of the few connections that are admitted beyond `maxclients`, so that probes are answered; null if
    /// none are.
    default @Nullable FrontEnd whenFull() {
        return null;
    }

    /// Plain RESP.
    FrontEnd NONE = (channel, _) -> Upstream.socket(channel);

    /// This front end, within TLS.
    default FrontEnd within(Tls tls) {
        FrontEnd inner = this;
        return new FrontEnd() {
            @Override
            public Upstream addTo(Channel channel, Meter meter) {
                channel.pipeline().addLast(tls.newHandler(channel.alloc()));
                return inner.addTo(channel, meter);
            }

            @Override
            public String refusal(String error) {
                return inner.refusal(error);
            }

            @Override
            public @Nullable FrontEnd whenFull() {
                FrontEnd full = inner.whenFull();
                return full == null ? null : full.within(tls);
            }
        };
    }

    /// Counts the bytes of a client that speaks another protocol.
    interface Meter {
        void received(int bytes);

        void sent(int bytes);
    }

    /// Where a connection gets its requests from. Belongs to the event loop.
    interface Upstream {
        /// Turns reading on or off: whether the connection takes more requests.
        void read(boolean wanted);

        /// The number of bytes that are kept for this client in front of the connection. Any thread may read it.
        long held();

        /// Whether the client speaks RESP itself. A request of another protocol names its user.
        default boolean isSocket() {
            return false;
        }

        /// The socket itself.
        static Upstream socket(Channel channel) {
            return new Upstream() {
                @Override
                public void read(boolean wanted) {
                    channel.config().setAutoRead(wanted);
                }

                @Override
                public long held() {
                    return 0;
                }

                @Override
                public boolean isSocket() {
                    return true;
                }
            };
        }
    }
}
