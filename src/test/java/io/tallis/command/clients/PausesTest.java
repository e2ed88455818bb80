package io.tallis.command.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import org.junit.jupiter.api.Test;

final class PausesTest {
    private final FakeServer server = new FakeServer();
    private final FakeClient operator = server.connect();
    private final FakeClient client = server.connect();

    @Test
    void command_duringAPause_isAnsweredAtItsEnd() {
        operator.says("CLIENT PAUSE 1000");

        assertThat(client.says("INCR a")).isEmpty();
        server.passMillis(999);
        assertThat(client.heard()).isEmpty();
        server.passMillis(1);

        assertThat(client.heard()).containsExactly("(integer) 1");
        assertThat(client.says("INCR a")).isEqualTo("(integer) 2");
    }

    @Test
    void command_duringAPause_takesMemory_untilItIsAnswered() {
        operator.says("CLIENT PAUSE 1000");

        client.says("SET a " + "x".repeat(5000));
        assertThat(client.client().bufferBytes()).isGreaterThan(5000);
        server.passMillis(1000);

        assertThat(client.client().bufferBytes()).isZero();
    }

    @Test
    void unpause_isAnswered_andEndsThePause() {
        operator.says("CLIENT PAUSE 100000 ALL");
        assertThat(client.says("PING")).isEmpty();

        assertThat(operator.says("client unpause")).isEqualTo("OK");

        assertThat(client.heard()).containsExactly("PONG");
    }

    @Test
    void pauseOfWrites_holdsWhatMayChange() {
        operator.says("CLIENT PAUSE 1000 WRITE");

        assertThat(client.says("GET a")).isEqualTo("(nil)");
        assertThat(client.says("MULTI")).isEqualTo("OK");
        assertThat(client.says("GET a")).isEqualTo("QUEUED");
        assertThat(client.says("EXEC")).isEqualTo("1) (nil)");
        assertThat(client.says("FLUSHALL")).isEmpty();
        server.passMillis(1000);

        assertThat(client.heard()).containsExactly("(error) ERR not a part of this test");
    }

    @Test
    void transactionWithAChange_isHeldByAPauseOfWrites() {
        client.says("MULTI");
        client.says("INCR a");
        operator.says("CLIENT PAUSE 1000 write");

        assertThat(client.says("EXEC")).isEmpty();
        server.passMillis(1000);

        assertThat(client.heard()).containsExactly("1) (integer) 1");
    }

    @Test
    void scriptThatMayChange_isHeldByAPauseOfWrites() {
        FakeClient inTransaction = server.connect();
        inTransaction.says("MULTI");
        inTransaction.says("EVAL return{redis.call('INCR',KEYS[1])} 1 a");
        operator.says("CLIENT PAUSE 1000 WRITE");

        assertThat(client.says("EVAL_RO return{redis.call('GET',KEYS[1])} 1 a")).isEqualTo("1) (nil)");
        assertThat(client.says("EVAL return{redis.call('INCR',KEYS[1])} 1 a")).isEmpty();
        assertThat(inTransaction.says("EXEC")).isEmpty();
        assertThat(server.connect().says("GET a")).isEqualTo("(nil)");
    }

    @Test
    void secondPause_makesTheFirstLongerAndStricter_neverShorterOrMilder() {
        operator.says("CLIENT PAUSE 1000 ALL");
        server.passMillis(1);
        assertThat(operator.says("CLIENT UNPAUSE")).isEqualTo("OK");
        operator.says("CLIENT PAUSE 1000 WRITE");
        FakeClient other = server.connect();
        other.says("CLIENT PAUSE 10 ALL");
        client.says("PING");

        server.passMillis(999);
        assertThat(client.heard()).isEmpty();
        server.passMillis(1);

        assertThat(client.heard()).containsExactly("PONG");
    }

    @Test
    void commandThatIsNoLongerAllowed_isRefusedAtTheEnd() {
        operator.says("CLIENT PAUSE 1000");
        client.says("INCR a");
        server.refuseWrites("MISCONF no disk");

        server.passMillis(1000);

        assertThat(client.heard()).containsExactly("(error) MISCONF no disk");
    }

    @Test
    void clientWithoutReplies_staysSilent() {
        client.says("CLIENT REPLY OFF");
        operator.says("CLIENT PAUSE 1000");
        client.says("INCR a");

        server.passMillis(1000);

        assertThat(client.heard()).isEmpty();
        assertThat(operator.says("GET a")).isEqualTo("\"1\"");
    }
}
