package io.tallis.command.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class LaterTest {
    private final Logger log = Logger.getLogger(Later.class.getName());
    private final FakeClient client = new FakeServer().connect();

    @BeforeEach
    void quiet() {
        log.setLevel(Level.OFF);
    }

    @AfterEach
    void loud() {
        log.setLevel(null);
    }

    @Test
    void mistake_inATaskForAClient_isAnErrorToIt() {
        var later = new AtOnce();

        later.answerOnItsOwn("digest", client.client(), () -> {
            throw new IllegalStateException("a mistake, on purpose");
        });

        assertThat(client.heard()).containsExactly("(error) ERR internal error");
    }

    @Test
    void task_thatMayNotWait_isRefused() {
        var later = new AtOnce();
        later.full = true;

        later.answerOnItsOwn("digest", client.client(), () -> answer -> answer.integer(1));

        assertThat(client.heard()).containsExactly("(error) ERR too many clients wait for the same command");
    }

    private static final class AtOnce implements Later {
        private boolean full;

        @Override
        public void after(Duration delay, Runnable task) {
            task.run();
        }

        @Override
        public boolean onItsOwn(String thread, Runnable task) {
            if (!full) {
                task.run();
            }
            return !full;
        }
    }
}
