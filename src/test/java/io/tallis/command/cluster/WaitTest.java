package io.tallis.command.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.time.Duration;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

final class WaitTest {
    private Peers.Wait asked;
    private IntConsumer answer;

    private final FakeClient client = new FakeServer(this::await).connect();

    private void await(Peers.Wait wait, IntConsumer answer) {
        asked = wait;
        this.answer = answer;
    }

    @Test
    void wait_isAnsweredByThePeers() {
        assertThat(client.says("WAIT 2 500")).isEmpty();
        answer.accept(1);

        assertThat(client.heard()).containsExactly("(integer) 1");
        assertThat(asked.wanted()).isEqualTo(2);
        assertThat(asked.patience()).isEqualTo(Duration.ofMillis(500));
    }

    @Test
    void wait_ofAClientThatLeft_isNotListening() {
        client.says("WAIT 2 0");
        assertThat(asked.listens()).isTrue();

        client.disconnect();

        assertThat(asked.listens()).isFalse();
    }

    @Test
    void wait_withinATransaction_returnsZeroAtOnce() {
        client.says("MULTI");
        client.says("WAIT 2 0");

        assertThat(client.says("EXEC")).isEqualTo("1) (integer) 0");
        assertThat(asked).isNull();
    }
}
