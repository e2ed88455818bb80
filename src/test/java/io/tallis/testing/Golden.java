package io.tallis.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

/// Bytes that every later version must be able to read, in files of `src/test/resources/golden`: hexadecimal digits,
/// spaces and lines as one likes, comments behind `#`.
///
/// A test with other bytes fails. A changed format needs a new version and a file of its own beside the old one;
/// `-Dgolden=write` makes files that are missing.
public final class Golden {
    private static final Path DIRECTORY = Path.of("src/test/resources/golden");

    private Golden() {}

    public static byte[] bytes(String name) throws IOException {
        String text = Files.readString(file(name));
        return HexFormat.of().parseHex(text.replaceAll("#.*|\\s", ""));
    }

    /// Asserts that these are the golden bytes.
    public static void check(String name, byte[] bytes) throws IOException {
        String hex = HexFormat.of().formatHex(bytes);
        if ("write".equals(System.getProperty("golden")) && Files.notExists(file(name))) {
            Files.writeString(file(name), hex.replaceAll(".{64}", "$0\n") + "\n");
        }
        assertThat(hex).isEqualTo(HexFormat.of().formatHex(bytes(name)));
    }

    private static Path file(String name) {
        return DIRECTORY.resolve(name + ".hex");
    }
}
