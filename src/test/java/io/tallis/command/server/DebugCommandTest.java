package io.tallis.command.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;
import io.tallis.transcript.FakeServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class DebugCommandTest {
    private final Queue<Runnable> due = new ArrayDeque<>();
    private final FakeServer server = new FakeServer();
    private final Client client = server.connect().client();
    private final DebugCommand debug = new DebugCommand(server.keyspace(), server::settings, new HeldTasks());

    @BeforeEach
    void allow() {
        server.debug("yes");
    }

    @Test
    void sleep_ofTooManyClients_isRefused() {
        for (int i = 0; i < DebugCommand.MOST_SLEEPING; i++) {
            sleep();
        }

        assertThatThrownBy(this::sleep).isInstanceOf(CommandError.class).hasMessageContaining("too many");
        assertThatThrownBy(this::sleep).isInstanceOf(CommandError.class).hasMessageContaining("too many");
    }

    @Test
    void sleep_thatIsOver_makesRoomForAnother() {
        for (int i = 0; i < DebugCommand.MOST_SLEEPING; i++) {
            sleep();
        }

        due.remove().run();
        sleep();

        assertThat(due).hasSize(DebugCommand.MOST_SLEEPING);
    }

    private void sleep() {
        Arguments arguments = new Arguments();
        arguments.begin("DEBUGSLEEP1".getBytes(StandardCharsets.US_ASCII));
        arguments.add(0, 5);
        arguments.add(5, 5);
        arguments.add(10, 1);
        debug.run(arguments, client, Reply.NONE);
    }

    /// Holds delayed tasks until the test runs them.
    private final class HeldTasks implements Later {
        @Override
        public void after(Duration delay, Runnable task) {
            due.add(task);
        }

        @Override
        public boolean onItsOwn(String thread, Runnable task) {
            throw new AssertionError("a sleeping client takes no thread");
        }
    }
}
