package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.http.Health;
import io.tallis.testing.NotifyReceiver;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ServiceManagerTest {
    @TempDir
    Path dir;

    @Test
    void serverWithoutServiceManager_tellsNothing() {
        ServiceManager none = ServiceManager.of(Map.of());

        none.ready();
        none.stopping();
    }

    @Test
    void start_isTold_firstWhatIsUnderWayThenThatItServes() throws IOException {
        try (var receiver = new NotifyReceiver(dir.resolve("notify"))) {
            ServiceManager manager = ServiceManager.of(Map.of("NOTIFY_SOCKET", receiver.path()));

            manager.tell(new Health(false, "joining", "40% so far"));
            manager.tell(new Health(false, "joining", "40% so far"));
            manager.ready();
            manager.stopping();

            assertThat(receiver.poll()).isEqualTo("STATUS=40% so far");
            assertThat(receiver.poll()).isEqualTo("READY=1\nSTATUS=Serving");
            assertThat(receiver.poll()).isEqualTo("STOPPING=1\nSTATUS=Stopping");
            assertThat(receiver.poll()).isNull();
        }
    }

    @Test
    void socketWithAnAbstractName_isReached() throws IOException {
        try (var receiver = new NotifyReceiver("@tallis-" + UUID.randomUUID())) {
            ServiceManager.of(Map.of("NOTIFY_SOCKET", receiver.path())).ready();

            assertThat(receiver.poll()).startsWith("READY=1");
        }
    }

    @Test
    void eventLoopsThatHang_areAskedOnceAndNotReportedAsAlive() throws IOException {
        List<Runnable> questions = new ArrayList<>();
        try (var receiver = new NotifyReceiver(dir.resolve("notify"))) {
            ServiceManager manager = ServiceManager.of(Map.of("NOTIFY_SOCKET", receiver.path()));

            manager.ask(questions::add);
            manager.ask(questions::add);
            assertThat(questions).hasSize(1);
            assertThat(receiver.poll()).isNull();

            questions.getFirst().run();
            assertThat(receiver.poll()).isEqualTo("WATCHDOG=1");
        }
    }

    @Test
    void serviceManagerThatIsGone_isNoFailureOfTheNode() throws IOException {
        NotifyReceiver receiver = new NotifyReceiver(dir.resolve("notify"));
        receiver.close();

        ServiceManager.of(Map.of("NOTIFY_SOCKET", receiver.path())).ready();
    }

    @Test
    void periodThatIsNoNumber_isIgnored() throws IOException {
        try (var receiver = new NotifyReceiver(dir.resolve("notify"))) {
            ServiceManager.of(Map.of("NOTIFY_SOCKET", receiver.path(), "WATCHDOG_USEC", "soon"))
                    .ready();

            assertThat(receiver.poll()).startsWith("READY=1");
        }
    }
}
