package io.tallis.command.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

final class RandomKeyTest {
    /// More than one step of a walk visits.
    private static final int DELETED = 10_000;

    @Test
    @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
    void randomKey_amongManyDeletedKeys_ofOneThatHasEnded_isNone() {
        FakeServer server = new FakeServer();
        FakeClient client = server.connect();
        for (int i = 0; i < DELETED; i++) {
            client.says("INCR key:" + i);
            client.says("DEL key:" + i);
        }
        client.says("SET last 1 EX 10");
        server.pass(10);

        assertThat(client.says("RANDOMKEY")).isEqualTo("(nil)");
    }
}
