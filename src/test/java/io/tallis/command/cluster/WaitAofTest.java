package io.tallis.command.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.command.cluster.WaitAof.Disk;
import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.io.IOException;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Test;

final class WaitAofTest {
    private Peers.Wait asked;
    private IntConsumer answer;
    private boolean isKept = true;
    private boolean fails;
    private int syncs;

    private final FakeServer server = new FakeServer(this::await, new FakeDisk());
    private final FakeClient client = server.connect();

    private void await(Peers.Wait wait, IntConsumer answer) {
        asked = wait;
        this.answer = answer;
    }

    private final class FakeDisk implements Disk {
        @Override
        public boolean isKept() {
            return isKept;
        }

        @Override
        public void makeDurable() throws IOException {
            if (fails) {
                throw new IOException("no disk");
            }
            syncs++;
        }
    }

    @Test
    void waitAof_isAnsweredWhenDiskAndPeersHaveTheChanges() {
        assertThat(client.says("WAITAOF 1 2 500")).isEmpty();
        assertThat(syncs).isEqualTo(1);
        assertThat(asked.wanted()).isEqualTo(2);

        answer.accept(2);

        assertThat(client.heard()).containsExactly("1) (integer) 1", "2) (integer) 2");
        answer.accept(3);
        assertThat(client.heard()).isEmpty();
    }

    @Test
    void withoutNumlocal_nothingIsSynced() {
        client.says("WAITAOF 0 1 500");
        answer.accept(1);

        assertThat(client.heard()).containsExactly("1) (integer) 0", "2) (integer) 1");
        assertThat(syncs).isZero();
    }

    @Test
    void failingDisk_isAnsweredAtTheTimeout() {
        fails = true;
        client.says("WAITAOF 1 1 500");
        answer.accept(1);

        server.passMillis(499);
        assertThat(client.heard()).isEmpty();
        server.passMillis(1);

        assertThat(client.heard()).containsExactly("1) (integer) 0", "2) (integer) 1");
    }

    @Test
    void peersThatDoNotAnswer_areCountedAsNoneAtTheTimeout() {
        client.says("WAITAOF 1 1 500");

        server.passMillis(500);

        assertThat(client.heard()).containsExactly("1) (integer) 1", "2) (integer) 0");
    }

    @Test
    void badRequests_areRefused() {
        assertThat(client.says("WAITAOF 2 0 0"))
                .isEqualTo("(error) ERR value is out of range, value must between 0 and 1");
        assertThat(client.says("WAITAOF 0 -1 0")).isEqualTo("(error) ERR value is out of range, must be positive");
        assertThat(client.says("WAITAOF 0 0 -1")).isEqualTo("(error) ERR timeout is negative");
        assertThat(client.says("WAITAOF 0 0 x")).isEqualTo("(error) ERR timeout is not an integer or out of range");
        isKept = false;
        assertThat(client.says("WAITAOF 1 0 0"))
                .isEqualTo("(error) ERR WAITAOF cannot be used when numlocal is set but persistence is disabled.");
    }

    @Test
    void withinATransaction_itReturnsZerosAtOnce() {
        client.says("MULTI");
        client.says("WAITAOF 1 1 0");

        assertThat(client.says("EXEC")).isEqualTo("1) 1) (integer) 0\n   2) (integer) 0");
    }
}
