package io.tallis.resp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.command.Client;
import io.tallis.command.Link.Suspension;
import io.tallis.metrics.NetworkEvent;
import io.tallis.resp.RespLimits.OutputLimit;
import io.tallis.resp.socket.NettyTransport;
import io.tallis.resp.socket.RespSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The RESP server on real sockets: listening, accepting, the protocol, closing.
@Timeout(60)
final class RespServerIT {
    static Stream<String> transports() {
        return Arrays.stream(NettyTransport.values())
                .filter(NettyTransport::works)
                .map(NettyTransport::toString);
    }

    @ParameterizedTest
    @MethodSource("transports")
    void pipeline_ofTenThousandRequests_isAnsweredInOrder(String transport) throws Exception {
        StringBuilder requests = new StringBuilder();
        StringBuilder replies = new StringBuilder();
        for (int i = 0; i < 10_000; i++) {
            String word = "$" + (i + "").length() + "\r\n" + i + "\r\n";
            requests.append("*2\r\n$4\r\nECHO\r\n").append(word);
            replies.append(word);
        }
        try (TestServer server = new TestServer(transport);
                RespSocket client = server.connect()) {
            client.send(requests.toString());

            client.expect(replies.toString());
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void requests_beforeTheClientEndsItsSide_areAnswered(String transport) throws Exception {
        try (TestServer server = new TestServer(transport);
                RespSocket client = server.connect()) {
            client.send("ADD x\r\nPING\r\n").sendEnd();

            assertThat(client.rest()).isEqualTo(":1\r\n+PONG\r\n");
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void clients_thatResetWhileTheyAreNotRead_areGoneWhenTheyAreReadAgain(String transport) throws Exception {
        String begunRequest = "*2\r\n$4\r\nECHO\r\n$1000000\r\n" + "e".repeat(200_000);
        List<RespSocket> sockets = new ArrayList<>();
        List<Suspension> suspensions = new ArrayList<>();
        try (TestServer server = new TestServer(transport)) {
            for (int i = 0; i < 10; i++) {
                RespSocket socket = server.connect().send("SUSPEND\r\n");
                suspensions.add(TestServer.await(server.suspensions));
                sockets.add(socket.send(begunRequest));
            }
            Awaitility.await().until(() -> server.present.stream().noneMatch(RespServerIT::isRead));
            server.awaitTick();
            for (RespSocket socket : sockets) {
                socket.reset();
            }
            server.awaitTick();

            suspensions.forEach(suspension -> suspension.resume(reply -> {}));

            Awaitility.await().until(() -> server.present.isEmpty());
        }
    }

    private static boolean isRead(Client client) {
        return client.link().buffers().reading();
    }

    @ParameterizedTest
    @MethodSource("transports")
    void start_onABusyPort_saysWhichInOneLine(String transport) throws Exception {
        try (TestServer server = new TestServer(transport)) {
            RespSettings settings = settings(List.of("127.0.0.1"), server.port(), transport);

            assertThatThrownBy(() -> new TestServer(settings))
                    .isInstanceOf(IOException.class)
                    .hasMessage("Could not listen on 127.0.0.1:" + server.port() + ": Address already in use");
        }
    }

    @Test
    void start_onAnAddressThatIsNotHere_fails() {
        RespSettings settings = settings(List.of("192.0.2.1"), 0, "auto");

        assertThatThrownBy(() -> new TestServer(settings))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("Could not listen on 192.0.2.1:0: ");
    }

    @ParameterizedTest
    @MethodSource("transports")
    void start_withAnOptionalAddressThatIsNotHere_listensOnTheOthers(String transport) throws Exception {
        RespSettings settings = settings(List.of("-192.0.2.1", "127.0.0.1"), 0, transport);

        try (TestServer server = new TestServer(settings);
                RespSocket client = server.connect()) {
            client.send("PING\r\n").expect("+PONG\r\n");
        }
    }

    @Test
    void start_withAnUnknownTransport_saysWhatIsExpected() {
        assertThatThrownBy(() -> new TestServer("pigeon"))
                .isInstanceOf(IOException.class)
                .hasMessage("The transport is pigeon, expected auto, io_uring, epoll or nio");
    }

    @Test
    void protocolError_afterRequests_isAnsweredLastAndCloses() throws Exception {
        try (TestServer server = new TestServer();
                RespSocket client = server.connect()) {
            client.send("PING\r\n*1\r\n+PING\r\nPING\r\n");

            assertThat(client.rest()).isEqualTo("+PONG\r\n-ERR Protocol error: expected '$', got '+'\r\n");
            assertThat(server.stats.total(NetworkEvent.PROTOCOL_ERROR)).isEqualTo(1);
        }
    }

    @Test
    void endlessLine_whileTheClientGoesOnSending_isAnswered() throws Exception {
        try (TestServer server = new TestServer();
                RespSocket client = server.connect()) {
            client.send("x".repeat(1 << 20));

            assertThat(client.rest()).isEqualTo("-ERR Protocol error: too big inline request\r\n");
        }
    }

    @Test
    void http_isClosedWithoutAWord() throws Exception {
        try (TestServer server = new TestServer();
                RespSocket post = server.connect();
                RespSocket get = server.connect()) {
            post.send("POST / HTTP/1.1\r\n").expectEnd();
            get.send("Host: localhost\r\n").expectEnd();
        }
    }

    @Test
    void quit_dropsWhatComesBehind() throws Exception {
        try (TestServer server = new TestServer();
                RespSocket client = server.connect()) {
            client.send("PING\r\nQUIT\r\nPING\r\n");

            assertThat(client.rest()).isEqualTo("+PONG\r\n+OK\r\n");
            assertThat(server.handled).hasValue(2);
        }
    }

    @Test
    void failingCommand_closesItsConnectionOnly() throws Exception {
        try (TestServer server = new TestServer();
                RespSocket failing = server.connect();
                RespSocket other = server.connect()) {
            failing.send("FAIL\r\n").expectEnd();

            other.send("PING\r\n").expect("+PONG\r\n");
        }
    }

    @Test
    void protocol3_holdsFromTheNextReplyOn() throws Exception {
        try (TestServer server = new TestServer();
                RespSocket client = server.connect()) {
            client.send("HELLO 2\r\nHELLO 3\r\n").expect("$-1\r\n_\r\n");
        }
    }

    @Test
    void client_beyondMaxclients_isTurnedAway() throws Exception {
        try (TestServer server = new TestServer()) {
            server.limits = TestServer.limits(1, 0, 0, new OutputLimit(0, 0, 0));
            try (RespSocket first = server.connect()) {
                first.send("PING\r\n").expect("+PONG\r\n");
                try (RespSocket second = server.connect()) {
                    assertThat(second.rest()).isEqualTo("-ERR max number of clients reached\r\n");
                }
            }
            assertThat(server.stats.total(NetworkEvent.REJECTED)).isEqualTo(1);
            Awaitility.await().until(() -> server.stats.connected() == 0);

            try (RespSocket third = server.connect()) {
                third.send("PING\r\n").expect("+PONG\r\n");
            }
        }
    }

    @Test
    void refusal_inProtectedMode_isForClientsOfOtherMachines() throws Exception {
        RespLimits guarded = TestServer.limits(10, 0, 0, new OutputLimit(0, 0, 0));
        InetSocketAddress here = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 1);
        InetSocketAddress alsoHere = new InetSocketAddress(InetAddress.ofLiteral("::1"), 1);
        InetSocketAddress elsewhere = new InetSocketAddress(InetAddress.ofLiteral("192.0.2.1"), 1);

        assertThat(Admission.refusal(guarded, here)).isNull();
        assertThat(Admission.refusal(guarded, alsoHere)).isNull();
        assertThat(Admission.refusal(guarded, elsewhere))
                .startsWith("-DENIED Redis is running in protected mode because protected mode is enabled and no"
                        + " password is set for the default user. ")
                .endsWith("\r\n")
                .containsOnlyOnce("\n");
        assertThat(Admission.refusal(withPassword(guarded), elsewhere)).isNull();
    }

    @Test
    void close_whileClientsAreIdle_closesThemAndCountsThem() throws Exception {
        TestServer server = new TestServer();
        try (RespSocket client = server.connect()) {
            client.send("PING\r\n").expect("+PONG\r\n");

            server.close();
            server.close();

            client.expectEnd();
            assertThat(server.present).isEmpty();
            assertThat(server.stats.connected()).isZero();
            assertThat(server.stats.total(NetworkEvent.BYTES_IN)).isEqualTo(6);
            assertThat(server.stats.total(NetworkEvent.BYTES_OUT)).isEqualTo(7);
        }
        assertThatThrownBy(server::connect).isInstanceOf(IOException.class);
    }

    private static RespSettings settings(List<String> bind, int port, String transport) {
        return new RespSettings(bind, port, 511, 1, transport);
    }

    private static RespLimits withPassword(RespLimits limits) {
        return new RespLimits(
                limits.maxClients(),
                limits.timeoutSeconds(),
                limits.tcpKeepaliveSeconds(),
                limits.protectedMode(),
                true,
                limits.protoMaxBulkLen(),
                limits.clientQueryBufferLimit(),
                limits.clientsBytes(),
                limits.normalOutput(),
                limits.pubsubOutput());
    }
}
