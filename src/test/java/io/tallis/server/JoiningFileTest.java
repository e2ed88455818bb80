package io.tallis.server;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
final class JoiningFileTest {
    @TempDir
    Path dir;

    private final CountDownLatch done = new CountDownLatch(1);
    private final CountDownLatch failed = new CountDownLatch(1);
    private volatile boolean diskFails;
    private JoiningFile file;

    @BeforeEach
    void begin() {
        file = new JoiningFile(dir, () -> {}, this::settle);
        file.begins();
    }

    private void settle() throws IOException {
        if (diskFails) {
            throw new IOException("no space left");
        }
        assertThat(file.isUnfinished()).isTrue();
    }

    @Test
    void end_isRememberedOnceTheJournalIsOnTheDisk() throws Exception {
        file.ends(done::countDown, failed::countDown);

        assertThat(done.await(10, SECONDS)).isTrue();
        assertThat(file.isUnfinished()).isFalse();
        assertThat(failed.getCount()).isEqualTo(1);
    }

    @Test
    void end_whereTheDiskFails_isNotRememberedAndIsTold() throws Exception {
        diskFails = true;

        file.ends(done::countDown, failed::countDown);

        assertThat(failed.await(10, SECONDS)).isTrue();
        assertThat(file.isUnfinished()).isTrue();
        assertThat(done.getCount()).isEqualTo(1);
    }

    @Test
    void beginningAnew_isRemembered() throws Exception {
        Files.delete(dir.resolve("joining"));

        file.begins(done::countDown, failed::countDown);

        assertThat(done.await(10, SECONDS)).isTrue();
        assertThat(file.isUnfinished()).isTrue();
    }

    @Test
    void beginningAnew_whereTheDiskFails_isTold() throws Exception {
        JoiningFile elsewhere = new JoiningFile(dir.resolve("gone"), () -> {}, this::settle);

        elsewhere.begins(done::countDown, failed::countDown);

        assertThat(failed.await(10, SECONDS)).isTrue();
        assertThat(done.getCount()).isEqualTo(1);
        assertThatThrownBy(elsewhere::begins).isInstanceOf(StartException.class);
    }
}
