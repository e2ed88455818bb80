package io.tallis.resp;

import static io.tallis.resp.TestServer.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.keyspace.TurnLog.Outcome;
import io.tallis.resp.RespLimits.OutputLimit;
import io.tallis.resp.socket.NettyTransport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A reply that says OK leaves after the journal has what it promises (I3), and other clients do not wait for it.
@Timeout(60)
final class TurnsIT {
    static Stream<String> transports() {
        return Arrays.stream(NettyTransport.values())
                .filter(NettyTransport::works)
                .map(NettyTransport::toString);
    }

    @ParameterizedTest
    @MethodSource("transports")
    void reply_toAChange_waitsForTheJournalWhileOthersGoOn(String transport) throws Exception {
        try (TestServer server = new TestServer(transport);
                RespSocket writer = server.connect();
                RespSocket other = server.connect()) {
            server.journalHolds = true;
            writer.send("ADD x\r\n");
            Outcome turn = await(server.turns);

            other.send("PING\r\n").expect("+PONG\r\n");
            writer.expectSilence();
            turn.written();

            writer.expect(":1\r\n");
        }
    }

    /// Replication then looks for changes.
    @ParameterizedTest
    @MethodSource("transports")
    void turn_withChanges_isAnnouncedAtItsEnd(String transport) throws Exception {
        try (TestServer server = new TestServer(transport);
                RespSocket writer = server.connect()) {
            writer.send("PING\r\n").expect("+PONG\r\n");
            assertThat(server.turnsEnded).hasValue(0);

            writer.send("ADD x\r\n").expect(":1\r\n");

            assertThat(server.turnsEnded).hasValue(1);
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void turn_withManyChanges_endsBeforeFurtherRequests(String transport) throws Exception {
        try (TestServer server = new TestServer(transport);
                RespSocket writer = server.connect()) {
            writer.send("PING\r\n").expect("+PONG\r\n");
            server.anyChangeIsMuch = true;

            writer.send("ADD x\r\nADD x\r\nADD x\r\n").expect(":1\r\n:2\r\n:3\r\n");

            assertThat(server.turnsEnded).hasValue(3);
        }
    }

    @ParameterizedTest
    @MethodSource("transports")
    void replies_ofLaterTurns_doNotLeaveWithAnEarlierTurn(String transport) throws Exception {
        try (TestServer server = new TestServer(transport);
                RespSocket writer = server.connect();
                RespSocket other = server.connect()) {
            server.journalHolds = true;
            writer.send("ADD x\r\n");
            Outcome first = await(server.turns);
            writer.send("ADD x\r\n");
            Outcome second = await(server.turns);

            first.written();

            writer.expect(":1\r\n");
            other.send("PING\r\n").expect("+PONG\r\n");
            writer.expectSilence();
            second.written();
            writer.expect(":2\r\n");
        }
    }

    @Test
    void replies_toReadsBehindAChange_waitInOrder() throws Exception {
        try (TestServer server = new TestServer();
                RespSocket writer = server.connect()) {
            server.journalHolds = true;
            writer.send("PING\r\nADD x\r\nPING\r\n");
            Outcome turn = await(server.turns);
            writer.send("ECHO a\r\n");
            Awaitility.await().until(() -> server.handled.get() == 4);

            writer.expectSilence();
            turn.written();

            writer.expect("+PONG\r\n:1\r\n+PONG\r\n$1\r\na\r\n");
            writer.send("PING\r\n").expect("+PONG\r\n");
        }
    }

    @Test
    void exception_atTheEndOfATurn_reachesTheUncaughtExceptionHandler() throws Exception {
        BlockingQueue<Throwable> fatal = new LinkedBlockingQueue<>();
        Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((_, mistake) -> fatal.add(mistake));
        try (TestServer server = new TestServer();
                RespSocket writer = server.connect()) {
            server.journalThrows = true;

            writer.send("ADD x\r\n");

            assertThat(await(fatal)).hasMessage("a bug at the end of a turn, on purpose");
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    @Test
    void lostTurn_closesTheConnectionsThatWaitForIt() throws Exception {
        try (TestServer server = new TestServer();
                RespSocket writer = server.connect();
                RespSocket other = server.connect()) {
            server.journalHolds = true;
            writer.send("ADD x\r\n");

            await(server.turns).lost();

            writer.expectEnd();
            other.send("PING\r\n").expect("+PONG\r\n");
        }
    }

    @Test
    void congestedJournal_stopsClientsWithUnconfirmedChanges() throws Exception {
        try (TestServer server = new TestServer();
                RespSocket writer = server.connect();
                RespSocket other = server.connect()) {
            server.journalHolds = true;
            writer.send("ADD x\r\n");
            Outcome first = await(server.turns);
            server.journalIsCongested = true;

            writer.send("ADD x\r\n");
            other.send("PING\r\n").expect("+PONG\r\n");
            other.send("ADD x\r\n");
            Outcome second = await(server.turns);

            assertThat(server.handled).hasValue(3);
            first.written();
            writer.expect(":1\r\n");
            await(server.turns).written();
            second.written();
            writer.expect(":3\r\n");
            other.expect(":2\r\n");
        }
    }

    @Test
    void changesOfManyConnections_areCommittedTogetherWithinBounds() throws Exception {
        List<RespSocket> writers = new ArrayList<>();
        try (TestServer server = new TestServer();
                RespSocket holder = server.connect()) {
            server.limits = TestServer.limits(1000, 0, 0, new OutputLimit(0, 0, 0));
            server.journalHolds = true;
            for (int i = 0; i < 2 * LoopTurns.MAX_PIECES; i++) {
                writers.add(server.connect());
                await(server.opened);
            }
            holder.send("HOLD\r\n");
            CountDownLatch held = await(server.holding);
            for (RespSocket writer : writers) {
                writer.send("ADD x\r\n");
            }

            held.countDown();

            Awaitility.await().until(() -> server.handled.get() == writers.size() + 1);
            assertThat(server.turns).hasSizeBetween(2, 8);
            while (!server.turns.isEmpty()) {
                await(server.turns).written();
            }
            for (RespSocket writer : writers) {
                writer.expect(":");
                writer.close();
            }
        }
    }

    @Test
    void deepPipeline_doesNotKeepOthersWaiting() throws Exception {
        try (TestServer server = new TestServer();
                RespSocket greedy = server.connect();
                RespSocket modest = server.connect()) {
            greedy.send("HOLD\r\n");
            CountDownLatch held = await(server.holding);
            int requests = 5 * LoopTurns.MAX_REQUESTS;
            greedy.send("PING\r\n".repeat(requests));
            modest.send("PING\r\n");

            held.countDown();

            greedy.expect("+OK\r\n").skip(7L * requests);
            modest.expect("+PONG\r\n");
            List<Long> order = List.copyOf(server.pinging);
            assertThat(order.indexOf(2L)).isBetween(0, requests - LoopTurns.MAX_REQUESTS);
        }
    }

    @Test
    void close_whileATurnIsBeingWritten_waitsForIt() throws Exception {
        try (TestServer server = new TestServer();
                RespSocket writer = server.connect()) {
            server.journalHolds = true;
            writer.send("ADD x\r\n");
            Outcome turn = await(server.turns);
            Thread closing = Thread.ofPlatform().start(server::close);

            // Closing has begun when new connections are refused.
            Awaitility.await().until(() -> isClosed(server));
            turn.written();

            assertThat(writer.rest()).isEqualTo(":1\r\n");
            closing.join();
        }
    }

    private static boolean isClosed(TestServer server) {
        try (RespSocket _ = server.connect()) {
            return false;
        } catch (IOException _) {
            return true;
        }
    }
}
