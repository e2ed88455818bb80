package io.tallis.resp;

import static io.tallis.resp.TestServer.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.command.Client;
import io.tallis.command.Link.Suspension;
import io.tallis.command.Reply;
import io.tallis.keyspace.TurnLog.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What commands and other threads can do to a connection.
@Timeout(60)
final class LinkIT {
    private TestServer server;
    private RespSocket socket;
    private Client client;

    @BeforeEach
    void connect() throws Exception {
        server = new TestServer();
        socket = server.connect();
        client = await(server.opened);
    }

    @AfterEach
    void close() throws Exception {
        socket.close();
        server.close();
    }

    @Test
    void addresses_areThoseOfTheSocket() {
        assertThat(client.link().remoteAddress()).isEqualTo(socket.localAddress());
        assertThat(client.link().localAddress()).isEqualTo("127.0.0.1:" + server.port());
    }

    @Test
    void suspendedClient_isNotServedUntilItIsAnswered() throws Exception {
        socket.send("PING\r\nSUSPEND\r\nPING\r\n");
        Suspension suspension = await(server.suspensions);
        socket.expect("+PONG\r\n");
        socket.expectSilence();
        assertThat(server.handled).hasValue(2);

        suspension.resume(Reply::ok);
        suspension.resume(reply -> reply.status("twice"));

        socket.expect("+OK\r\n+PONG\r\n");
    }

    @Test
    void answerOfASuspendedClient_thatChangesSomething_waitsForTheJournal() throws Exception {
        server.journalHolds = true;
        socket.send("SUSPEND x\r\n");
        Suspension suspension = await(server.suspensions);

        suspension.resume(reply -> server.add(client, "x", reply));

        Outcome turn = await(server.turns);
        socket.expectSilence();
        turn.written();
        socket.expect(":1\r\n");
    }

    @Test
    void suspendedClient_thatGoesOnSending_isNotReadFrom() throws Exception {
        socket.send("SUSPEND\r\n");
        Suspension suspension = await(server.suspensions);
        int requests = 4_000_000;
        Thread sender = Thread.ofPlatform().start(() -> sendAll("PING\r\n".repeat(requests)));

        Awaitility.await().until(() -> client.link().buffers().query() >= Flow.MAX_WAITING);
        assertThat(client.link().buffers().query()).isLessThan(Flow.MAX_WAITING + 4 * Input.CHUNK);
        suspension.resume(Reply::ok);

        socket.expect("+OK\r\n");
        socket.skip(7L * requests);
        sender.join();
        assertThat(client.link().buffers().query()).isZero();
    }

    @Test
    void suspendedClient_thatClosesItsSide_isAnsweredIfTheAnswerComesSoon() throws Exception {
        socket.send("PING\r\nSUSPEND\r\n").sendEnd();
        Suspension suspension = await(server.suspensions);
        server.awaitTick();

        suspension.resume(Reply::ok);

        assertThat(socket.rest()).isEqualTo("+PONG\r\n+OK\r\n");
    }

    @Test
    void suspendedClient_thatClosedItsSideLongAgo_isDisconnected() throws Exception {
        socket.send("PING\r\nSUSPEND\r\nPING\r\n").sendEnd();
        Suspension suspension = await(server.suspensions);

        Awaitility.await().until(() -> {
            server.nanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
            return server.present.isEmpty();
        });

        Awaitility.await().until(() -> !client.link().isOpen());
        suspension.resume(Reply::ok);
        assertThat(socket.rest()).isEqualTo("+PONG\r\n");
    }

    @Test
    void suspendedClient_withAnOpenSide_waitsWithoutLimit() throws Exception {
        socket.send("SUSPEND\r\n");
        Suspension suspension = await(server.suspensions);
        server.nanos.addAndGet(TimeUnit.HOURS.toNanos(1));
        server.awaitTick();

        suspension.resume(Reply::ok);

        socket.expect("+OK\r\n");
    }

    @Test
    void message_fromAnotherThread_isSent() throws Exception {
        client.link().send(5, reply -> reply.status("hello"));
        client.link().send(5, reply -> reply.status("again"));

        socket.expect("+hello\r\n+again\r\n");
    }

    @Test
    void message_toTheClientItself_followsTheReply() throws Exception {
        socket.send("SEND hello\r\nPING\r\n").expect("+OK\r\n+hello\r\n+PONG\r\n");
    }

    @Test
    void message_toAClientThatWaitsForTheJournal_waitsBehind() throws Exception {
        server.journalHolds = true;
        socket.send("ADD x\r\n");
        Outcome turn = await(server.turns);

        client.link().send(5, reply -> reply.status("hello"));
        turn.written();

        socket.expect(":1\r\n+hello\r\n");
    }

    @Test
    void killedClient_isDisconnectedAtOnce() throws Exception {
        client.link().kill();

        socket.expectEnd();
        Awaitility.await().until(() -> server.present.isEmpty());
        client.link().send(0, Reply::ok);
        client.link().kill();
    }

    @Test
    void closeAfterReplies_sendsThemFirst() throws Exception {
        server.journalHolds = true;
        socket.send("ADD x\r\n");
        Outcome turn = await(server.turns);

        client.link().closeAfterReplies();
        turn.written();

        assertThat(socket.rest()).isEqualTo(":1\r\n");
    }

    private void sendAll(String bytes) {
        try {
            socket.send(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
