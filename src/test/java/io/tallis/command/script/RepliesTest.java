package io.tallis.command.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The same scripts get the same replies as from Redis, which were captured in `replies.txt`.
final class RepliesTest {
    static Stream<Arguments> captured() throws IOException {
        try (var in = RepliesTest.class.getResourceAsStream("replies.txt")) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return Arrays.stream(text.strip().split("\n====\n", -1))
                    .skip(1)
                    .map(example -> example.split("\n--->\n", 2))
                    .map(example -> Arguments.of(example[0], example[1]));
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("captured")
    void eval_repliesAsRedis(String script, String expected) {
        FakeClient client = new FakeServer().connect();

        String reply = client.says(words("EVAL", script, "2", "k1", "k2", "a1", "10"));

        assertThat(reply.replaceAll("script: [0-9a-f]{40}", "script: SHA")
                        .lines()
                        .map(String::stripTrailing)
                        .toList())
                .isEqualTo(expected.lines().toList());
    }

    private static List<byte[]> words(String... words) {
        return Arrays.stream(words)
                .map(word -> word.getBytes(StandardCharsets.UTF_8))
                .toList();
    }
}
