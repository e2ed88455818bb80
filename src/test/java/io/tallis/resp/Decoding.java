package io.tallis.resp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tallis.command.Arguments;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.StandInTurnLog;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// The input of a connection without the connection: feeds an [Input] piece by piece and records the decoded requests.
///
/// Texts stand for bytes: each character is the byte of its number.
final class Decoding {
    /// The decoded requests, and the protocol error, or an empty text.
    record Result(List<List<String>> requests, String refusal) {}

    private final byte[] shared = Input.sharedArray();
    private final RequestDecoder decoder = new RequestDecoder();
    private final Input input = new Input(shared, decoder);
    private final List<List<String>> requests = new ArrayList<>();
    private final boolean authenticated;
    private final int maxBulkLength;
    private final RequestBatch batch;
    private int requestsPerBatch;
    private boolean refused;

    Decoding() {
        this(true, 1 << 20);
    }

    Decoding(boolean authenticated, int maxBulkLength) {
        this.authenticated = authenticated;
        this.maxBulkLength = maxBulkLength;
        Keyspace keyspace =
                new Keyspace(new Replicas(new ReplicaId(1, 1)), new AtomicLong()::incrementAndGet, () -> 1_000_000);
        batch = new RequestBatch(new Counters(keyspace, new NoJournal()), (_, _, _) -> {});
    }

    static Result ofWhole(String bytes) {
        return new Decoding().feed(bytes(bytes)).result();
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /// From now on decodes requests ahead, and drops the rest of a batch after so many of them.
    Decoding inBatchesOf(int requests) {
        requestsPerBatch = requests;
        return this;
    }

    Input input() {
        return input;
    }

    Result result() {
        return new Result(List.copyOf(requests), refused ? decoder.refusal() : "");
    }

    /// Receives a piece.
    Decoding feed(byte[] piece) {
        ByteBuf received = Unpooled.wrappedBuffer(piece);
        while (received.isReadable() && !refused) {
            input.take(received);
            if (requestsPerBatch > 0) {
                decodeInBatches();
                batch.drop(decoder);
            } else {
                decode();
            }
            input.freeShared();
            // Another connection uses the shared array.
            Arrays.fill(shared, 0, Math.min(shared.length, 2 * piece.length), (byte) '#');
        }
        return this;
    }

    /// Receives `bytes` in two pieces.
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
            RequestDecoder.Step step = decoder.next(authenticated, maxBulkLength);
            if (!isRequest(step)) {
                return;
            }
            requests.add(words(decoder.arguments()));
        }
    }

    /// As a connection does that may have to stop at any request.
    private void decodeInBatches() {
        int left = requestsPerBatch;
        while (true) {
            if (batch.isEmpty() && !isRequest(batch.fill(decoder, authenticated, maxBulkLength))) {
                return;
            }
            requests.add(words(batch.next(decoder)));
            if (--left == 0) {
                batch.drop(decoder);
                left = requestsPerBatch;
            }
        }
    }

    private boolean isRequest(RequestDecoder.Step step) {
        refused = step == RequestDecoder.Step.REFUSED;
        return step == RequestDecoder.Step.REQUEST;
    }

    private static List<String> words(Arguments arguments) {
        List<String> words = new ArrayList<>();
        for (int word = 0; word < arguments.count(); word++) {
            words.add(new String(arguments.bytes(word), StandardCharsets.ISO_8859_1));
        }
        return words;
    }

    private static final class NoJournal extends StandInTurnLog {
        @Override
        protected void committed(Outcome outcome) {
            outcome.written();
        }
    }
}
