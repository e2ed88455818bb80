package io.tallis.server;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallis.testing.ClusterPorts;
import io.tallis.testing.LocalServer;
import io.tallis.testing.RespSocket;
import java.io.EOFException;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The states of a client of a whole node: blocked, disconnected, without replies, not authenticated.
@Timeout(60)
final class ClientStateIT {
    @ParameterizedTest
    @ValueSource(strings = {"WAIT 1 0", "WAIT 1 3600000", "DEBUG SLEEP 3600"})
    void client_thatDisconnectsWhileBlocked_isRemoved(String request) throws IOException {
        try (LocalServer server = nodeOfACluster();
                RespSocket other = new RespSocket(server.port())) {
            await().atMost(30, SECONDS).until(() -> other.call("INCR", "visits"), "1"::equals);
            try (RespSocket gone = new RespSocket(server.port())) {
                gone.add(request.split(" ", -1)).flush();
                await().until(() -> other.call("INFO", "clients").contains("blocked_clients:1"));
            }

            await().atMost(20, SECONDS)
                    .until(() -> other.call("INFO", "clients").contains("connected_clients:1\r"));
        }
    }

    private static LocalServer nodeOfACluster() throws IOException {
        return LocalServer.inMemory(
                "enable-debug-command", "yes",
                "cluster-name", "alone",
                "cluster-stack", "tcp",
                "cluster-port", Integer.toString(ClusterPorts.free()),
                "cluster-seeds", "127.0.0.1:" + ClusterPorts.free(),
                "cluster-bootstrap-expect", "1",
                "cluster-alone-timeout", "1");
    }

    @Test
    void protocolError_withReplyOff_closesWithoutAReply() throws IOException {
        try (LocalServer server = LocalServer.inMemory();
                RespSocket socket = new RespSocket(server.port())) {
            socket.add("CLIENT", "REPLY", "OFF").flush();
            socket.sendRaw("*1\r\n+a\r\n");

            assertThatThrownBy(socket::read).isInstanceOf(EOFException.class);
        }
    }

    @Test
    void client_afterRequirepassIsRemoved_needsNoPassword() throws IOException {
        try (LocalServer server = LocalServer.inMemory("requirepass", "x");
                RespSocket operator = new RespSocket(server.port());
                RespSocket socket = new RespSocket(server.port())) {
            assertThat(socket.call("PING")).startsWith("-NOAUTH");
            operator.call("AUTH", "x");

            operator.call("CONFIG", "SET", "requirepass", "");

            assertThat(socket.call("DEL", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"))
                    .isEqualTo("0");
        }
    }

    /// A publisher relies on the number of receivers that was replied.
    @Test
    void publishedMessage_reachesAClientBeforeItsNextReply() throws IOException {
        try (LocalServer server = LocalServer.inMemory();
                RespSocket subscriber = new RespSocket(server.port());
                RespSocket publisher = new RespSocket(server.port())) {
            for (int i = 0; i < 200; i++) {
                subscriber.call("SUBSCRIBE", "news");
                assertThat(publisher.call("PUBLISH", "news", "m" + i)).isEqualTo("1");
                subscriber.add("UNSUBSCRIBE", "news").flush();

                assertThat(subscriber.read()).contains("message", "m" + i);
                assertThat(subscriber.read()).contains("unsubscribe");
            }
        }
    }
}
