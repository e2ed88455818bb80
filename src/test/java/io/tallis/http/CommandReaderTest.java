package io.tallis.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CommandReaderTest {
    @Test
    void words_ofEachKind_areTheirText() {
        List<byte[]> command =
                CommandReader.command(json("[\"SET\", \"\\u00e9\\u0000\", 18446744073709551616, 1.50, true]"));

        assertThat(command)
                .extracting(word -> new String(word, StandardCharsets.UTF_8))
                .containsExactly("SET", "\u00e9\0", "18446744073709551616", "1.50", "true");
    }

    @Test
    void command_thatIsNoListOfWords_isRefused() {
        refused("", "[", "[]", "{}", "5", "null", "[null]", "[[\"GET\"]]", "[\"GET\", {}]", "[\"GET\"] []", "[\"GET\"");
        refused("[\"\\ud800\"]", "[\"\u0001\"]", "[".repeat(100_000));
    }

    @Test
    void refusals_ofJson_tellThePlaceAndNothingOfTheParser() {
        assertThatThrownBy(() -> CommandReader.command(json("[\"GET\",\n\"a\"")))
                .hasMessage("ERR the body is not valid JSON, at line 2, column 4");
        assertThatThrownBy(() -> CommandReader.command(json("[" + "1".repeat(2000) + "]")))
                .hasMessageStartingWith("ERR the JSON is nested too deep, or has a number or name that is too long")
                .hasMessageNotContaining("Stream");
        assertThatThrownBy(() -> CommandReader.changes(json("")))
                .hasMessage("ERR the body is empty, expected a JSON array");
    }

    @Test
    void command_thatIsNotUtf8_isRefused() {
        ByteBuf bytes = Unpooled.wrappedBuffer(new byte[] {'[', '"', (byte) 0xff, '"', ']'});

        assertThatThrownBy(() -> CommandReader.command(bytes)).isInstanceOf(HttpRefusal.class);
    }

    @Test
    void changes_withAndWithoutAmount_areRead() {
        assertThat(CommandReader.changes(json(
                        "[{\"name\": \"a\", \"change\": -4}, {\"name\": \"b\"}, {\"change\": \"9\", \"name\": \"\"}]")))
                .containsExactly(
                        new CommandReader.Change("a", "-4"),
                        new CommandReader.Change("b", "1"),
                        new CommandReader.Change("", "9"));
    }

    @Test
    void refusal_ofAnElement_saysWhereItIs() {
        assertThatThrownBy(
                        () -> CommandReader.changes(json("[{\"name\": \"a\"},\n {\"name\": \"b\", \"change\": 1.5}]")))
                .hasMessage("ERR the JSON is wrong, expected a string as \"name\" and an integer as \"change\", and"
                        + " nothing else, at line 2, column 26");
    }

    @Test
    void changes_thatAreMistyped_areRefused() {
        for (String text : List.of(
                "{}",
                "[[]]",
                "[{}]",
                "[{\"change\": 1}]",
                "[{\"name\": 1}]",
                "[{\"name\": \"a\", \"chnage\": 1}]",
                "[{\"name\": \"a\", \"change\": null}]",
                "[{\"name\": \"a\", \"change\": true}]",
                "[{\"name\": \"a\", \"name\": \"b\"}]")) {
            assertThatThrownBy(() -> CommandReader.changes(json(text))).as(text).isInstanceOf(HttpRefusal.class);
        }
    }

    private static void refused(String... texts) {
        for (String text : texts) {
            assertThatThrownBy(() -> CommandReader.command(json(text)))
                    .as(text.substring(0, Math.min(40, text.length())))
                    .isInstanceOf(HttpRefusal.class);
        }
    }

    private static ByteBuf json(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }
}
