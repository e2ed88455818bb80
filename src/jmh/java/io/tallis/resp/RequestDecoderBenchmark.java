package io.tallis.resp;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.redis.RedisArrayAggregator;
import io.netty.handler.codec.redis.RedisBulkStringAggregator;
import io.netty.handler.codec.redis.RedisDecoder;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// What it costs to find one request among fifty that came in one read, for our decoder and for Netty's.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@OperationsPerInvocation(RequestDecoderBenchmark.REQUESTS)
public class RequestDecoderBenchmark {
    static final int REQUESTS = 50;

    private static final int MAX_BULK_LENGTH = 1 << 20;

    @Param({"GET key:000000123456", "INCRBY key:000000123456 1", "PNCOUNT INC key:000000123456 1"})
    public String request;

    private final RequestDecoder decoder = new RequestDecoder();
    private byte[] bytes;
    private ByteBuf buffer;
    private EmbeddedChannel netty;

    @Setup
    public void encode() {
        StringBuilder encoded = new StringBuilder();
        String[] words = request.split(" ", -1);
        encoded.append('*').append(words.length).append("\r\n");
        for (String word : words) {
            encoded.append('$')
                    .append(word.length())
                    .append("\r\n")
                    .append(word)
                    .append("\r\n");
        }
        bytes = encoded.toString().repeat(REQUESTS).getBytes(US_ASCII);
        buffer = Unpooled.unreleasableBuffer(Unpooled.directBuffer().writeBytes(bytes));
        netty = new EmbeddedChannel(
                new RedisDecoder(), new RedisBulkStringAggregator(), new RedisArrayAggregator(REQUESTS, REQUESTS));
    }

    @Benchmark
    public int decode() {
        decoder.move(bytes, 0, bytes.length);
        int words = 0;
        while (decoder.next(true, MAX_BULK_LENGTH) == RequestDecoder.Step.REQUEST) {
            words += decoder.arguments().count();
        }
        return words;
    }

    @Benchmark
    public int decodeByNetty() {
        netty.writeInbound(buffer.duplicate());
        int messages = 0;
        for (Object message = netty.readInbound(); message != null; message = netty.readInbound()) {
            ReferenceCountUtil.release(message);
            messages++;
        }
        return messages;
    }
}
