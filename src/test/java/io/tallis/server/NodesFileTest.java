package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.tallis.testing.ForcedPaths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NodesFileTest {
    @TempDir
    Path dir;

    @Test
    void load_ofANewDirectory_findsNothing() throws IOException {
        assertThat(new NodesFile(dir, () -> {}).load()).isNull();
    }

    @Test
    void savedRegistry_isLoadedByTheNextStart() throws IOException {
        saved(new byte[] {1, 2, 3});

        assertThat(new NodesFile(dir, () -> {}).load()).containsExactly(1, 2, 3);
    }

    /// The directory is forced after the rename.
    @Test
    void save_forcesTheFileAndItsDirectory() throws IOException {
        try (ForcedPaths forced = new ForcedPaths()) {
            NodesFile file = new NodesFile(dir, () -> {});
            file.save(new byte[] {1, 2, 3});
            await().until(() -> new NodesFile(dir, () -> {}).load() != null);
            file.close();

            assertThat(forced.under(dir)).containsExactly(dir.resolve("nodes.new"), dir);
        }
    }

    @Test
    void save_replacesTheFormerRegistry() throws IOException {
        saved(new byte[] {1, 2, 3});

        saved(new byte[] {4});

        assertThat(new NodesFile(dir, () -> {}).load()).containsExactly(4);
        assertThat(dir.resolve("nodes.new")).doesNotExist();
    }

    @Test
    void damagedFile_cannotBeRead() throws IOException {
        saved(new byte[] {1, 2, 3});
        byte[] bytes = Files.readAllBytes(dir.resolve("nodes"));
        bytes[bytes.length - 1]++;
        Files.write(dir.resolve("nodes"), bytes);

        assertThatExceptionOfType(IOException.class).isThrownBy(() -> new NodesFile(dir, () -> {}).load());
    }

    @Test
    void shortFile_cannotBeRead() throws IOException {
        Files.write(dir.resolve("nodes"), new byte[] {1, 2});

        assertThatExceptionOfType(IOException.class).isThrownBy(() -> new NodesFile(dir, () -> {}).load());
    }

    @Test
    void flush_returnsWhenTheRegistryIsWritten() throws IOException {
        NodesFile file = new NodesFile(dir, () -> {});
        for (byte i = 0; i < 100; i++) {
            file.save(new byte[] {i});

            file.flush();

            assertThat(new NodesFile(dir, () -> {}).load()).containsExactly(i);
        }
        file.close();
    }

    @Test
    void flush_afterAFailedWrite_triesAgain() throws IOException {
        AtomicBoolean held = new AtomicBoolean();
        NodesFile file = new NodesFile(dir, () -> {
            if (!held.get()) {
                throw new IOException("for a test");
            }
        });
        file.save(new byte[] {1});
        assertThatExceptionOfType(IOException.class).isThrownBy(file::flush);
        assertThatExceptionOfType(IOException.class).isThrownBy(file::flush);

        held.set(true);
        file.flush();

        assertThat(new NodesFile(dir, () -> {}).load()).containsExactly(1);
        file.close();
    }

    /// What relies on the file is not written then either.
    @Test
    void flush_afterClose_fails() {
        NodesFile file = new NodesFile(dir, () -> {});
        file.save(new byte[] {1});
        file.close();

        assertThatExceptionOfType(IOException.class).isThrownBy(file::flush);
    }

    @Test
    void afterClose_nothingIsWritten() {
        NodesFile file = new NodesFile(dir, () -> {});
        file.close();

        file.save(new byte[] {1});
        file.close();

        assertThat(dir.resolve("nodes")).doesNotExist();
    }

    private void saved(byte[] bytes) {
        NodesFile file = new NodesFile(dir, () -> {});
        file.save(bytes);
        await().until(() -> java.util.Arrays.equals(bytes, new NodesFile(dir, () -> {}).load()));
        file.close();
    }
}
