package io.tallis.resp;

import static io.tallis.resp.TestServer.await;
import static io.tallis.resp.TestServer.limits;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.command.ByteString;
import io.tallis.command.Client;
import io.tallis.command.Link.Suspension;
import io.tallis.command.Reply;
import io.tallis.command.Subscriptions;
import io.tallis.command.Subscriptions.Kind;
import io.tallis.command.clients.Monitors;
import io.tallis.command.pubsub.PubSub;
import io.tallis.keyspace.TurnLog.Outcome;
import io.tallis.metrics.NetworkEvent;
import io.tallis.resp.RespLimits.OutputLimit;
import io.tallis.resp.socket.RespSettings;
import io.tallis.runtime.Clock;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The limits of clients: none costs more than it may, or harms other clients.
@Timeout(60)
final class LimitsIT {
    private static final String MUCH = "$1000000\r\n" + "r".repeat(1_000_000) + "\r\n";

    /// How much of it is held back.
    private static final int MUCH_LEFT = 100_000;

    /// More than the network takes.
    private static final int BIGS = 15;

    private static final int BIG = 2 << 20;

    /// All of it but its last word.
    private static final String ECHO_OF_MUCH = "*10\r\n$4\r\nECHO\r\n" + MUCH.repeat(8);

    private static final OutputLimit NO_LIMIT = new OutputLimit(0, 0, 0);
    private static final int REPLY = 16 * 1024;

    /// The bytes that may wait where no limit is set.
    private static final long ENOUGH = 16L << 20;

    /// The bytes that are waiting at least when a connection waits for its client.
    private static final int LOW = 64 * 1024;

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
    void clientThatDoesNotRead_isNotServedFurther() throws Exception {
        int requests = 10_000;
        socket.send(("BIG " + REPLY + "\r\n").repeat(requests));

        Awaitility.await().until(() -> client.link().buffers().output() > LOW);
        try (RespSocket other = server.connect()) {
            other.send("PING\r\n").expect("+PONG\r\n");
        }

        Awaitility.await().until(() -> client.link().buffers().output() > ENOUGH);
        server.awaitTick();
        assertThat(client.link().buffers().output()).isLessThan(ENOUGH + 4 * RespConnection.MAX_BYTES);
        assertThat(server.handled.get()).isLessThan(requests);
        socket.skip((long) requests * (REPLY + "$16384\r\n\r\n".length()));
        assertThat(server.handled.get()).isEqualTo(requests + 1);
    }

    /// As clients do that send a whole pipeline before they read.
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void clientThatReadsAfterItHasSentEverything_isServedToTheEnd() throws Exception {
        int requests = 800;
        String request = "*2\r\n$4\r\nECHO\r\n$16384\r\n" + "e".repeat(REPLY) + "\r\n";

        socket.send(request.repeat(requests));

        socket.skip((long) requests * (REPLY + "$16384\r\n\r\n".length()));
        assertThat(server.handled.get()).isEqualTo(requests);
    }

    @Test
    void clientThatDoesNotRead_whenAllTakeMuch_isStoppedEarlier() throws Exception {
        server.limits = limits(10, 0, 0, 4 << 20, NO_LIMIT);
        socket.send(("BIG " + REPLY + "\r\n").repeat(10_000));

        Awaitility.await().until(() -> client.link().buffers().output() > LOW);
        server.awaitTick();

        assertThat(client.link().buffers().output()).isLessThan(3 << 20);
        assertThat(server.present).hasSize(1);
        server.limits = limits(10, 0, 0, NO_LIMIT);
        Awaitility.await().until(() -> client.link().buffers().output() > ENOUGH);
    }

    @Test
    void client_thatWaitedLongForAReply_isNotIdle() throws Exception {
        server.limits = limits(10, 100, 0, NO_LIMIT);
        socket.send("SUSPEND\r\n");
        Suspension suspension = await(server.suspensions);
        server.nanos.addAndGet(TimeUnit.SECONDS.toNanos(200));
        server.awaitTick();

        suspension.resume(Reply::ok);
        server.awaitTick();

        socket.expect("+OK\r\n");
        socket.send("PING\r\n").expect("+PONG\r\n");
    }

    @Test
    void client_whoseChangeWaitsForTheJournal_isNotIdle() throws Exception {
        server.limits = limits(10, 100, 0, NO_LIMIT);
        server.journalHolds = true;
        socket.send("ADD x\r\n");
        Outcome turn = await(server.turns);
        server.nanos.addAndGet(TimeUnit.SECONDS.toNanos(200));
        server.awaitTick();

        turn.written();

        socket.expect(":1\r\n");
    }

    @Test
    void replies_beyondTheHardLimit_closeTheConnection() throws Exception {
        server.limits = limits(10, 0, 0, new OutputLimit(100_000, 0, 0));

        socket.send("BIG 100000\r\nPING\r\n");

        socket.expectEnd();
        assertThat(server.stats.total(NetworkEvent.OUTPUT_LIMIT)).isEqualTo(1);
    }

    @Test
    void replies_beyondTheSoftLimitForLong_closeTheConnection() throws Exception {
        server.limits = limits(10, 0, 0, new OutputLimit(0, LOW / 2, 10));
        socket.send(("BIG " + REPLY + "\r\n").repeat(10_000));
        Awaitility.await().until(() -> client.link().buffers().output() > LOW);

        Awaitility.await().until(() -> {
            server.nanos.addAndGet(TimeUnit.SECONDS.toNanos(11));
            return server.present.isEmpty();
        });

        assertThat(server.stats.total(NetworkEvent.OUTPUT_LIMIT)).isEqualTo(1);
    }

    @Test
    void messages_thatAreNotTaken_closeTheConnection() throws Exception {
        server.limits = limits(10, 0, 0, new OutputLimit(1_000_000, 0, 0));
        byte[] word = new byte[REPLY];

        Awaitility.await().until(() -> {
            for (int i = 0; i < 1000; i++) {
                client.link().send(word.length, reply -> reply.bulk(word));
            }
            return server.present.isEmpty();
        });

        assertThat(server.stats.total(NetworkEvent.OUTPUT_LIMIT)).isEqualTo(1);
    }

    @Test
    void request_beyondTheQueryLimit_closesTheConnection() throws Exception {
        server.limits = limits(10, 0, 100_000, NO_LIMIT);

        socket.sendUntilClosed("*2\r\n$4\r\nECHO\r\n$200000\r\n" + "x".repeat(200_000));

        socket.expectEnd();
        assertThat(server.stats.total(NetworkEvent.QUERY_LIMIT)).isEqualTo(1);
    }

    @Test
    void idleClient_isClosedAfterTheTimeout() throws Exception {
        server.limits = limits(10, 100, 0, NO_LIMIT);
        socket.send("PING\r\n").expect("+PONG\r\n");

        server.nanos.addAndGet(TimeUnit.SECONDS.toNanos(200));

        socket.expectEnd();
        Awaitility.await().until(() -> server.present.isEmpty());
    }

    @Test
    void clientsThatTakeTooMuchTogether_loseTheLargest() throws Exception {
        // One after the other: two event loops may open their connections in any order.
        RespSocket replies = server.connect();
        Client largest = await(server.opened);
        try (replies;
                RespSocket requests = server.connect()) {
            takeTooMuchTogether(replies, requests, largest);

            Awaitility.await().until(() -> server.stats.total(NetworkEvent.EVICTED) == 1);
            String _ = replies.rest();
            requests.send("r".repeat(MUCH_LEFT) + "\r\n").expect("$1000000\r\n");
            socket.send("PING\r\n").expect("+PONG\r\n");
        }
    }

    /// Lets replies wait for the one and most of a request for the other, and sets a limit that both exceed together,
    /// and none of them alone.
    private void takeTooMuchTogether(RespSocket replies, RespSocket requests, Client largest) throws Exception {
        replies.send(("BIG " + BIG + "\r\n").repeat(BIGS));
        requests.send("*2\r\n$4\r\nECHO\r\n" + MUCH.substring(0, MUCH.length() - MUCH_LEFT - 2));
        Awaitility.await().until(() -> largest.link().buffers().output() > ENOUGH);
        server.awaitTick();
        server.limits = limits(10, 0, 0, largest.link().buffers().output() + MUCH.length() / 4, NO_LIMIT);
    }

    @Test
    void clientThatAloneWouldTakeTooMuch_isClosedBefore() throws Exception {
        server.limits = limits(10, 0, 0, 3 << 20, NO_LIMIT);
        client.noEvict(true);

        socket.send("BIG " + (4 << 20) + "\r\n");

        socket.expectEnd();
        assertThat(server.stats.total(NetworkEvent.OUTPUT_LIMIT)).isEqualTo(1);
    }

    @Test
    void exemptClient_thatTakesTheMost_stays() throws Exception {
        RespSocket replies = server.connect();
        Client exempt = await(server.opened);
        exempt.noEvict(true);
        try (replies;
                RespSocket requests = server.connect()) {
            takeTooMuchTogether(replies, requests, exempt);

            requests.expectEnd();
            server.awaitTick();
            server.awaitTick();
            socket.send("PING\r\n").expect("+PONG\r\n");
            replies.skip((long) BIGS * (BIG + ("$" + BIG + "\r\n\r\n").length()));
            assertThat(server.stats.total(NetworkEvent.EVICTED)).isEqualTo(1);
        }
    }

    @Test
    void clientWithManySubscriptions_isClosedForTheirMemory() throws Exception {
        server.limits = limits(10, 0, 0, 3 << 20, NO_LIMIT);
        var pubSub = new PubSub();
        for (int i = 0; i < Subscriptions.MOST; i++) {
            pubSub.subscribe(
                    client, Kind.CHANNEL, new ByteString(Integer.toString(i).getBytes(US_ASCII)));
        }

        socket.expectEnd();
        assertThat(server.stats.total(NetworkEvent.EVICTED)).isEqualTo(1);
    }

    /// A request that sends to many clients makes many messages.
    @Test
    void messages_thatWaitForTheEventLoop_interruptTheirPublisher() throws Exception {
        int most = 1 << 20;
        int requests = 2000;
        server.limits = limits(10, 0, 0, most, NO_LIMIT);
        try (RespSocket one = server.connect();
                RespSocket other = server.connect()) {
            one.send("PING\r\n").expect("+PONG\r\n");
            other.send("PING\r\n").expect("+PONG\r\n");
            server.present.forEach(client -> client.noEvict(true));
            String request = "TELL " + "w".repeat(1000) + "\r\n";
            socket.send(request.repeat(requests));
            String told = "$1000\r\n" + "w".repeat(1000) + "\r\n";
            for (RespSocket listener : List.of(one, other)) {
                listener.skip((long) requests * told.length());
            }
        }

        assertThat(server.mostWaiting.get()).isBetween((long) most / 8, (long) most / 4);
    }

    @Test
    void messages_thatWaitForTheEventLoop_haveALimitInBytes() throws Exception {
        int most = 1_000_000;
        server.limits = limits(10, 0, 0, new OutputLimit(most, 0, 0));
        socket.send("HOLD\r\n");
        CountDownLatch held = await(server.holding);
        byte[] word = new byte[REPLY];

        for (int i = 0; i < 100; i++) {
            client.link().send(word.length, reply -> reply.bulk(word));
        }

        assertThat(client.link().buffers().messages()).isBetween(most - 2L * REPLY, (long) most);
        assertThat(client.bufferBytes()).isGreaterThan(most - 2L * REPLY);
        held.countDown();
        String _ = socket.rest();
        assertThat(server.stats.total(NetworkEvent.OUTPUT_LIMIT)).isEqualTo(1);
    }

    /// A transaction that publishes to many clients is a single piece of work, in which no other client is served.
    @Test
    void messages_thatWaitForTheEventLoop_haveALimitInNumber() throws Exception {
        int most = 1 << 20;
        server.limits = limits(10, 0, 0, most, NO_LIMIT);
        socket.send("HOLD\r\n");
        CountDownLatch held = await(server.holding);

        for (int i = 0; i < most / ClientMemory.MESSAGE_OVERHEAD; i++) {
            client.link().send(0, reply -> reply.bulk(new byte[0]));
        }

        assertThat(client.link().buffers().messages())
                .isBetween((long) most / 2, most / 2 + 2L * ClientMemory.MESSAGE_OVERHEAD);
        held.countDown();
        String _ = socket.rest();
        assertThat(server.stats.total(NetworkEvent.OUTPUT_LIMIT)).isEqualTo(1);
    }

    @Test
    void messages_thatWereSent_takeNothing() throws Exception {
        client.link().send(5, reply -> reply.status("hello"));

        socket.expect("+hello\r\n");
        assertThat(client.link().buffers().messages()).isZero();
    }

    /// The part of each event loop is not a limit of its own.
    @Test
    void clientThatTakesMoreThanThePartOfItsLoop_staysWhenTheOthersTakeLittle() throws Exception {
        try (TestServer two = twoLoops();
                RespSocket large = two.connect()) {
            large.send(ECHO_OF_MUCH);
            two.awaitTick();
            two.awaitTick();

            large.send(MUCH).expect("$1000000\r\n");
            assertThat(two.stats.total(NetworkEvent.EVICTED)).isZero();
        }
    }

    @Test
    void largeClient_isAcceptedAfterAnotherLargeOneHasLeft() throws Exception {
        try (TestServer two = twoLoops()) {
            try (RespSocket first = two.connect()) {
                first.send(ECHO_OF_MUCH);
                two.awaitTick();
                two.awaitTick();
            }
            Awaitility.await().until(() -> two.stats.total(NetworkEvent.CLOSED) == 1);

            try (RespSocket second = two.connect()) {
                second.send(ECHO_OF_MUCH).send(MUCH).expect("$1000000\r\n");
            }
            assertThat(two.stats.total(NetworkEvent.EVICTED)).isZero();
        }
    }

    /// Whose clients together may take as much as one and a half of those that take much.
    private static TestServer twoLoops() throws Exception {
        var two = new TestServer(new RespSettings(List.of("127.0.0.1"), 0, 511, 2, "auto"));
        two.limits = limits(10, 0, 0, 14 << 20, NO_LIMIT);
        return two;
    }

    @Test
    void idleSubscriber_isNotClosed() throws Exception {
        server.limits = limits(10, 100, 0, NO_LIMIT);
        try (RespSocket other = server.connect()) {
            await(server.opened);
            server.present.forEach(new Monitors(Clock.system())::add);
            server.nanos.addAndGet(TimeUnit.SECONDS.toNanos(200));
            server.awaitTick();

            other.send("PING\r\n").expect("+PONG\r\n");
            socket.send("PING\r\n").expect("+PONG\r\n");
        }
    }
}
