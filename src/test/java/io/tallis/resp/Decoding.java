package io.tallis.resp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tallis.command.Arguments;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// What a connection decodes from the bytes that it gets: feeds an [Input] piece by piece, as a connection does.
///
/// Bytes and texts are the same here: each character stands for the byte of its number.
final class Decoding {
    /// The requests that were found, and the error that ended it, or an empty text.
    record Result(List<List<String>> requests, String refusal) {}

    private final byte[] shared = Input.sharedArray();
    private final RequestDecoder decoder = new RequestDecoder();
    private final Input input = new Input(shared, decoder);
    private final List<List<String>> requests = new ArrayList<>();
    private final boolean authenticated;
    private final int maxBulkLength;
    private boolean looksAhead;
    private boolean refused;

    Decoding() {
        this(true, 1 << 20);
    }

    Decoding(boolean authenticated, int maxBulkLength) {
        this.authenticated = authenticated;
        this.maxBulkLength = maxBulkLength;
    }

    static Result ofWhole(String bytes) {
        return new Decoding().feed(bytes(bytes)).result();
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /// From now on reads arrays twice, as [Lookahead] does.
    Decoding lookingAhead() {
        looksAhead = true;
        return this;
    }

    Input input() {
        return input;
    }

    Result result() {
        return new Result(List.copyOf(requests), refused ? decoder.refusal() : "");
    }

    /// Gets a piece, whole.
    Decoding feed(byte[] piece) {
        ByteBuf received = Unpooled.wrappedBuffer(piece);
        while (received.isReadable() && !refused) {
            input.take(received);
            decode();
            input.settle();
            // Another connection reads as much.
            Arrays.fill(shared, 0, Math.min(shared.length, 2 * piece.length), (byte) '#');
        }
        return this;
    }

    /// Gets `bytes` in two pieces.
    Decoding feedCut(byte[] bytes, int at) {
        return feed(Arrays.copyOf(bytes, at)).feed(Arrays.copyOfRange(bytes, at, bytes.length));
    }

    Decoding feedByteByByte(byte[] bytes) {
        for (byte one : bytes) {
            feed(new byte[] {one});
        }
        return this;
    }

    private void decode() {
        while (true) {
            if (looksAhead) {
                lookAhead();
            }
            switch (decoder.next(authenticated, maxBulkLength)) {
                case REQUEST -> requests.add(words(decoder.arguments()));
                case REFUSED -> {
                    refused = true;
                    return;
                }
                case INCOMPLETE, NOTHING -> {
                    return;
                }
            }
        }
    }

    private void lookAhead() {
        if (decoder.isBetweenRequests()) {
            int from = decoder.from();
            while (decoder.nextArray(authenticated, maxBulkLength) == RequestDecoder.Step.REQUEST) {
                assertThat(decoder.arguments().count()).isPositive();
            }
            decoder.rewind(from);
        }
    }

    private static List<String> words(Arguments arguments) {
        List<String> words = new ArrayList<>();
        for (int word = 0; word < arguments.count(); word++) {
            words.add(new String(arguments.bytes(word), StandardCharsets.ISO_8859_1));
        }
        return words;
    }
}
