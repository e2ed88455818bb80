package io.tallis.command.tracking;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Merges;
import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TrackingTest {
    private final FakeServer server = new FakeServer();
    private final FakeClient reader = server.connect();
    private final FakeClient writer = server.connect();

    @Test
    void trackingOn_isAnsweredWhenChangesAreNoted() {
        assertThat(reader.says("CLIENT TRACKING ON")).isEmpty();
        server.tracking().round();
        assertThat(reader.heard()).containsExactly("OK");

        assertThat(writer.says("CLIENT TRACKING ON")).isEqualTo("OK");
    }

    @Test
    void keyThatWasRead_isToldOnce_untilItIsReadAgain() {
        track("");
        reader.says("GET a");
        reader.says("MGET b c");

        writer.says("INCR a");
        assertThat(invalidated()).containsExactly("a");
        writer.says("INCR a");
        assertThat(invalidated()).isEmpty();
        writer.says("MSET b 1 c 2 d 3");
        assertThat(invalidated()).containsExactly("b", "c");

        reader.says("GET a");
        writer.says("DEL a");
        assertThat(invalidated()).containsExactly("a");
    }

    @Test
    void change_onAnEventLoopThatServesTwoPorts_isTold() {
        track("");
        FakeClient atOtherPort = server.connectAtOtherPort(writer);
        writer.says("PING");
        atOtherPort.says("PING");
        reader.says("MGET a b");

        writer.says("INCR a");
        assertThat(invalidated()).containsExactly("a");
        atOtherPort.says("INCR b");
        assertThat(invalidated()).containsExactly("b");
    }

    @Test
    void everyChange_isTold() {
        track("");
        for (String change : List.of(
                "SET a 1",
                "INCRBY a 2",
                "APPEND a 3",
                "EXPIRE a 100",
                "PERSIST a",
                "PNCOUNT SET a 1",
                "GCOUNT INC a 1",
                "RENAME a b",
                "COPY b a",
                "DEL a")) {
            reader.says("GET a");

            writer.says(change);

            assertThat(invalidated()).as(change).containsExactly("a");
        }
    }

    @Test
    void ownChange_isToldBehindTheReply_butNotWithNoloop() {
        track("");
        reader.says("GET a");
        assertThat(reader.says("INCR a")).startsWith("(integer) 1").contains("invalidate");

        track("NOLOOP");
        reader.says("GET a");
        assertThat(reader.says("INCR a")).isEqualTo("(integer) 2");
        reader.says("GET a");
        writer.says("INCR a");
        assertThat(invalidated()).containsExactly("a");
    }

    @Test
    void changesOfOtherNodes_andEnds_areTold() {
        track("");
        writer.says("SET short 1 PX 100");
        reader.says("MGET a short");
        otherNodeHasCounted("a", 1);
        server.passMillis(100);
        server.sweep();
        assertThat(invalidated()).isEmpty();

        server.tracking().round();

        assertThat(invalidated()).containsExactlyInAnyOrder("a", "short");
    }

    @Test
    void transactions_areTrackedAndTold() {
        track("");
        reader.says("MULTI");
        reader.says("GET a");
        reader.says("EXEC");
        writer.says("MULTI");
        writer.says("INCR a");
        assertThat(invalidated()).isEmpty();

        writer.says("EXEC");

        assertThat(invalidated()).containsExactly("a");
    }

    @Test
    void broadcast_tellsOfAllKeysWithThePrefixes() {
        track("BCAST PREFIX a: PREFIX b:");

        writer.says("MSET a:1 1 b:1 1 c:1 1");
        assertThat(invalidated()).containsExactly("a:1", "b:1");
        otherNodeHasCounted("a:2", 1);
        server.tracking().round();
        assertThat(invalidated()).containsExactly("a:2");

        reader.says("CLIENT TRACKING OFF");
        writer.says("INCR a:1");
        assertThat(invalidated()).isEmpty();
        assertThat(server.tracking().prefixes()).isZero();
    }

    @Test
    void optIn_remembersWhatFollowsCaching() {
        track("OPTIN");
        reader.says("GET a");
        reader.says("CLIENT CACHING YES");
        reader.says("GET b");
        reader.says("GET c");

        writer.says("MSET a 1 b 1 c 1");

        assertThat(invalidated()).containsExactly("b");
    }

    @Test
    void optIn_ofATransaction_isOfAllItsCommands() {
        track("OPTIN");
        reader.says("CLIENT CACHING YES");
        reader.says("MULTI");
        reader.says("GET a");
        reader.says("GET b");
        reader.says("EXEC");
        reader.says("GET c");

        writer.says("MSET a 1 b 1 c 1");

        assertThat(invalidated()).containsExactly("a", "b");
    }

    @Test
    void optIn_isKeptThroughAPause() {
        track("OPTIN");
        reader.says("CLIENT CACHING YES");
        writer.says("CLIENT PAUSE 100");
        reader.says("GET a");
        server.passMillis(100);

        writer.says("INCR a");

        assertThat(invalidated()).containsExactly("a");
    }

    @Test
    void optOut_remembersWhatDoesNotFollowCaching() {
        track("OPTOUT");
        reader.says("CLIENT CACHING NO");
        reader.says("GET a");
        reader.says("GET b");

        writer.says("MSET a 1 b 1");

        assertThat(invalidated()).containsExactly("b");
    }

    @Test
    void redirect_tellsASubscriberInResp2() {
        FakeClient target = server.connect();
        target.says("SUBSCRIBE __redis__:invalidate");
        reader.says("CLIENT TRACKING ON REDIRECT " + target.client().id());
        server.tracking().round();
        reader.says("GET a");

        writer.says("INCR a");

        assertThat(target.heard()).containsExactly("1) \"message\"", "2) \"__redis__:invalidate\"", "3) 1) \"a\"");
        assertThat(reader.says("CLIENT GETREDIR"))
                .contains("(integer) " + target.client().id());
    }

    @Test
    void redirect_toAClientThatHasLeft_isReported() {
        FakeClient target = server.connect();
        track("REDIRECT " + target.client().id());
        reader.says("GET a");
        target.disconnect();

        writer.says("INCR a");

        assertThat(String.join(" ", reader.heard())).contains("tracking-redir-broken");
        assertThat(reader.says("CLIENT TRACKINGINFO")).contains("broken_redirect");
        assertThat(reader.says("CLIENT LIST")).contains(" flags=tR ");
    }

    @Test
    void resp2WithoutRedirect_getsNothing() {
        reader.says("CLIENT TRACKING ON");
        server.tracking().round();
        reader.heard();
        reader.says("GET a");

        writer.says("INCR a");

        assertThat(reader.heard()).isEmpty();
    }

    @Test
    void flush_tellsToForgetAll() {
        track("");
        reader.says("MGET a b");

        server.tracking().flushed();

        assertThat(String.join(" ", reader.heard())).contains("invalidate", "(nil)");
        assertThat(server.tracking().keys()).isZero();
        assertThat(server.tracking().entries()).isZero();
    }

    @Test
    void fullTable_forgetsKeys_andTellsTheirReaders() {
        server.tracksAtMost(3);
        track("");

        reader.says("MGET a b c");
        assertThat(invalidated()).isEmpty();

        List<String> forgotten = invalidated(reader.says("MGET d e"));

        assertThat(forgotten).hasSize(2).doesNotHaveDuplicates();
        assertThat(server.tracking().keys()).isEqualTo(3);
        writer.says("MSET a 1 b 1 c 1 d 1 e 1");
        assertThat(invalidated()).hasSize(3).doesNotContainAnyElementsOf(forgotten);
        assertThat(server.tracking().entries()).isZero();
    }

    @Test
    void longNames_takeMoreOfTheTable() {
        server.tracksAtMost(3);
        track("");

        reader.says("GET " + "k".repeat(130));
        assertThat(server.tracking().entries()).isEqualTo(3);

        assertThat(invalidated(reader.says("GET a"))).hasSize(1);
        assertThat(server.tracking().keys()).isEqualTo(1);
    }

    @Test
    void clientsThatLeave_endTheNotingOfChanges() {
        track("");
        reader.says("GET a");
        reader.says("RESET");
        server.tracking().round();
        assertThat(server.tracking().trackedClients()).isZero();

        writer.says("INCR a");
        assertThat(server.tracking().keys()).isEqualTo(1);
        assertThat(writer.says("CLIENT TRACKING ON")).isEmpty();
        server.tracking().round();

        assertThat(writer.heard()).containsExactly("OK");
    }

    private void track(String options) {
        reader.says("CLIENT TRACKING OFF");
        reader.says("HELLO 3");
        reader.says(("CLIENT TRACKING ON " + options).strip());
        server.tracking().round();
        reader.heard();
    }

    /// The keys that the reader was told of.
    private List<String> invalidated() {
        return invalidated(String.join("\n", reader.heard()));
    }

    private static List<String> invalidated(String heard) {
        List<String> keys = new ArrayList<>();
        if (heard.contains("invalidate")) {
            heard.lines()
                    .filter(line -> line.contains("\"") && !line.contains("invalidate\""))
                    .forEach(line -> keys.add(line.replaceAll(".*\"(.*)\"", "$1")));
        }
        return keys;
    }

    private void otherNodeHasCounted(String key, long amount) {
        Cell told = new Cell().clear(CounterType.PNCOUNT);
        told.counts().append(server.keyspace().replicas().numberOf(new ReplicaId(9, 9)));
        told.counts().put(0, Counter.P, 0, amount);
        new Merges(server.keyspace(), ChangeLog.NONE).merge(Key.of(key.getBytes(StandardCharsets.US_ASCII)), told);
    }
}
