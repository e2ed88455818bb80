package io.tallis.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class ReplyReaderTest {
    private static final String REPLIES =
            "+OK\r\n:5\r\n$3\r\na\r\n\r\n$-1\r\n*-1\r\n*2\r\n$0\r\n\r\n*1\r\n-ERR x\r\n*0\r\n+PONG\r\n";

    @Test
    void replies_asJson_keepTheirKinds() {
        assertThat(json("+OK\r\n", false)).isEqualTo("\"OK\"");
        assertThat(json("*4\r\n:-7\r\n$3\r\na\"b\r\n$-1\r\n*0\r\n", false)).isEqualTo("[-7,\"a\\\"b\",null,[]]");
        assertThat(json("*-1\r\n", false)).isEqualTo("null");
    }

    @Test
    void integers_beyondTheNumbersOfJavaScript_areStrings() {
        assertThat(json(":9007199254740992\r\n", false)).isEqualTo("9007199254740992");
        assertThat(json(":-9007199254740992\r\n", false)).isEqualTo("-9007199254740992");
        assertThat(json(":9007199254740993\r\n", false)).isEqualTo("\"9007199254740993\"");
        assertThat(json(":-9223372036854775808\r\n", false)).isEqualTo("\"-9223372036854775808\"");
    }

    @Test
    void strings_inBase64_areAllButTheStatusOk() {
        assertThat(json("*4\r\n+OK\r\n+PONG\r\n$2\r\nOK\r\n:9007199254740993\r\n", true))
                .isEqualTo("[\"OK\",\"UE9ORw==\",\"T0s=\",\"OTAwNzE5OTI1NDc0MDk5Mw==\"]");
    }

    @Test
    void error_wrapped_isAnError() {
        ReplyReader replies = new ReplyReader(bytes("-ERR x\r\n:1\r\n"), true);

        String first = written(replies::writeWrapped);
        String second = written(replies::writeWrapped);

        assertThat(first).isEqualTo("{\"error\":\"ERR x\"}");
        assertThat(second).isEqualTo("{\"result\":1}");
    }

    @Test
    void skip_ofNestedReplies_returnsTheFirstError() {
        ReplyReader replies = new ReplyReader(bytes("+OK\r\n*2\r\n$1\r\n-\r\n-ERR a\r\n-ERR b\r\n:9\r\n"), false);

        assertThat(replies.skip(3)).isEqualTo("ERR a");
        assertThat(written(replies::write)).isEqualTo("9");
    }

    @Test
    void scanner_ofRepliesCutAnywhere_findsTheirEnd() {
        byte[] all = (REPLIES + ":1\r\n").getBytes(StandardCharsets.US_ASCII);
        for (int cut = 0; cut < all.length; cut++) {
            ByteBuf bytes = Unpooled.buffer();
            ReplyScanner scanner = new ReplyScanner();
            scanner.begin(8);

            bytes.writeBytes(all, 0, cut);
            boolean early = scanner.findsEnd(bytes);
            bytes.writeBytes(all, cut, all.length - cut);

            assertThat(early).as("cut at " + cut).isEqualTo(cut >= REPLIES.length());
            assertThat(scanner.findsEnd(bytes)).isTrue();
            assertThat(scanner.length()).isEqualTo(REPLIES.length());
        }
    }

    private static String json(String reply, boolean base64) {
        return written(new ReplyReader(bytes(reply), base64)::write);
    }

    private static String written(Response.Body body) {
        return new String(Json.written(body), StandardCharsets.UTF_8);
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }
}
