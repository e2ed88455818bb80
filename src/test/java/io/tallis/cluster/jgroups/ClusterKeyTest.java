package io.tallis.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.runtime.Randomness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ClusterKeyTest {
    @TempDir
    Path dir;

    private Path file;

    @BeforeEach
    void nameFile() {
        file = dir.resolve("key");
    }

    @Test
    void generated_isReadAgain() {
        ClusterKey.generate(file, () -> 0x0123456789abcdefL);

        byte[] key = ClusterKey.read(file).getFirst();

        assertThat(key).hasSize(32).startsWith(0x01, 0x23, 0x45).endsWith(0xab, 0xcd, 0xef);
    }

    @Test
    void generated_isForItsOwnerOnly() throws IOException {
        ClusterKey.generate(file, Randomness.secure());

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void generate_overAFile_leavesIt() throws IOException {
        Files.writeString(file, "mine");

        assertThatThrownBy(() -> ClusterKey.generate(file, Randomness.secure()))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("exists");
        assertThat(file).hasContent("mine");
    }

    @Test
    void generate_whereThereIsNoDirectory_saysSo() {
        assertThatThrownBy(() -> ClusterKey.generate(dir.resolve("none/key"), Randomness.secure()))
                .hasMessageContaining("no such directory");
    }

    @Test
    void read_ofAMissingFile_saysHowToMakeOne() {
        assertThatThrownBy(() -> ClusterKey.read(file))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("make one by tallis keygen");
    }

    @Test
    void read_ofSomethingElse_isRefused() throws IOException {
        Files.writeString(file, "f".repeat(63) + "g");
        assertThatThrownBy(() -> ClusterKey.read(file)).hasMessageContaining("is not a key");

        Files.writeString(file, "f".repeat(62));
        assertThatThrownBy(() -> ClusterKey.read(file)).hasMessageContaining("is not a key");
    }

    @Test
    void read_ofTwoLines_returnsBothKeysInTheirOrder() throws IOException {
        Files.writeString(file, "aa".repeat(32) + "\n\n " + "bb".repeat(32) + "\n");

        assertThat(ClusterKey.read(file)).extracting(key -> key[0]).containsExactly((byte) 0xaa, (byte) 0xbb);
    }

    @Test
    void read_ofNoneOrThreeKeys_isRefused() throws IOException {
        Files.writeString(file, "\n");
        assertThatThrownBy(() -> ClusterKey.read(file)).hasMessageContaining("has 0 lines, not one key or two");

        Files.writeString(file, ("aa".repeat(32) + "\n").repeat(3));
        assertThatThrownBy(() -> ClusterKey.read(file)).hasMessageContaining("has 3 lines, not one key or two");
    }

    @Test
    void file_thatEveryUserMayRead_isOpenToAll() throws IOException {
        ClusterKey.generate(file, Randomness.secure());
        assertThat(ClusterKey.isOpenToAll(file)).isFalse();

        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

        assertThat(ClusterKey.isOpenToAll(file)).isTrue();
    }
}
