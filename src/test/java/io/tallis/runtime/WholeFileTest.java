package io.tallis.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.ForcedPaths;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WholeFileTest {
    @TempDir
    private Path dir;

    @Test
    void replace_syncsTheContentThenTheDirectory() throws IOException {
        Path file = dir.resolve("nodes");
        try (ForcedPaths forced = new ForcedPaths()) {
            WholeFile.replace(file, ByteBuffer.wrap(new byte[] {1, 2, 3}));

            assertThat(forced.under(dir)).containsExactly(WholeFile.next(file), dir);
        }
        assertThat(file).hasBinaryContent(new byte[] {1, 2, 3});
    }

    @Test
    void write_syncsTheContent() throws IOException {
        Path file = dir.resolve("nodes");
        try (ForcedPaths forced = new ForcedPaths()) {
            WholeFile.write(file, ByteBuffer.wrap(new byte[] {1}));

            assertThat(forced.under(dir)).containsExactly(file);
        }
    }
}
