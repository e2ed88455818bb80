package io.tallis.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// What a request asks for: commands, each a list of words, and how their replies become a response.
///
/// Without commands the response needs no replies. `base64` is whether strings of replies are written in Base64.
record Work(List<List<byte[]>> commands, boolean base64, Rendering rendering) {
    /// Makes the response from the replies to all commands.
    @FunctionalInterface
    interface Rendering {
        Response of(ReplyReader replies);
    }

    /// The most words of a command.
    private static final int MOST_WORDS = 1 << 20;

    private static final int LINE_END = '\r' << 8 | '\n';

    static Work answered(Response response) {
        return new Work(List.of(), false, _ -> response);
    }

    /// A word of a command.
    static byte[] word(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /// Refuses what the decoder of RESP would answer with a protocol error.
    void requireWithin(HttpLimits limits) {
        long bytes = 0;
        for (List<byte[]> command : commands) {
            if (command.size() > MOST_WORDS) {
                throw HttpRefusal.tooLarge("ERR a command has more than " + MOST_WORDS + " words");
            }
            bytes += headerLength(command.size());
            for (byte[] word : command) {
                bytes += headerLength(word.length) + word.length + 2;
                if (word.length > limits.mostArgumentBytes()) {
                    throw HttpRefusal.tooLarge("ERR an argument has more than the " + limits.mostArgumentBytes()
                            + " bytes of proto-max-bulk-len");
                }
            }
        }
        if (bytes > limits.mostRequestBytes()) {
            throw HttpRefusal.tooLarge("ERR the commands take more than " + limits.mostRequestBytes()
                    + " bytes, half of client-query-buffer-limit");
        }
    }

    /// The commands as RESP.
    ByteBuf encoded() {
        ByteBuf out = Unpooled.buffer();
        for (List<byte[]> command : commands) {
            header('*', command.size(), out);
            for (byte[] word : command) {
                header('$', word.length, out);
                out.writeBytes(word);
                out.writeShort(LINE_END);
            }
        }
        return out;
    }

    /// The bytes of a type, a number and a line end.
    private static int headerLength(int number) {
        return 3 + Integer.toString(number).length();
    }

    private static void header(char type, int number, ByteBuf out) {
        out.writeByte(type);
        out.writeCharSequence(Integer.toString(number), StandardCharsets.US_ASCII);
        out.writeShort(LINE_END);
    }
}
