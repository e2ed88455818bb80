package io.tallis.resp;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.IntegerRedisMessage;
import io.netty.handler.codec.redis.RedisEncoder;
import io.netty.util.ReferenceCountUtil;
import io.tallis.command.Client;
import io.tallis.command.Link;
import io.tallis.command.Reply;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Keyspace;
import io.tallis.runtime.Randomness;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/// What it costs to encode one reply among fifty that leave together, by our encoder and by Netty's.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@OperationsPerInvocation(ReplyEncoderBenchmark.REPLIES)
public class ReplyEncoderBenchmark {
    static final int REPLIES = 50;

    private static final byte[] BULK = "1234567".getBytes(US_ASCII);

    private final EmbeddedChannel network = new EmbeddedChannel(new Nowhere());
    private final EmbeddedChannel netty = new EmbeddedChannel(new Nowhere(), new RedisEncoder());
    private final Outbox outbox = new Outbox(network, () -> 0);
    private ReplyEncoder encoder;
    private long value = 1_000_000;

    @Setup
    public void open() {
        Keyspace keyspace = new Keyspace(new Replicas(new ReplicaId(1, 1)), Randomness.secure(), () -> 1_000_000);
        Client client = new Client(1, new NoLink(), new Counters(keyspace, ChangeLog.NONE));
        encoder = new ReplyEncoder(client, new ReplyEncoder.Scratch(), outbox);
    }

    @Benchmark
    public int integers() {
        encoder.begin();
        for (int i = 0; i < REPLIES; i++) {
            encoder.integer(value++);
        }
        return leave();
    }

    @Benchmark
    public int digits() {
        encoder.begin();
        for (int i = 0; i < REPLIES; i++) {
            encoder.digits(value++);
        }
        return leave();
    }

    @Benchmark
    public int oks() {
        encoder.begin();
        for (int i = 0; i < REPLIES; i++) {
            encoder.ok();
        }
        return leave();
    }

    private int leave() {
        encoder.end();
        return outbox.releaseReady();
    }

    @Benchmark
    public void integersByNetty() {
        for (int i = 0; i < REPLIES; i++) {
            var _ = netty.write(new IntegerRedisMessage(value++));
        }
        netty.flush();
    }

    @Benchmark
    public void digitsByNetty() {
        for (int i = 0; i < REPLIES; i++) {
            var _ = netty.write(new FullBulkStringRedisMessage(Unpooled.wrappedBuffer(BULK)));
        }
        netty.flush();
    }

    /// Takes what is written and forgets it.
    private static final class Nowhere extends ChannelOutboundHandlerAdapter {
        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            ReferenceCountUtil.release(message);
        }
    }

    /// The connection of a client that only counts.
    private static final class NoLink implements Link {
        @Override
        public String remoteAddress() {
            return "";
        }

        @Override
        public String localAddress() {
            return "";
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void send(int bytes, Consumer<Reply> message) {}

        @Override
        public void kill() {}

        @Override
        public void closeAfterReplies() {}

        @Override
        public Suspension suspend() {
            return _ -> {};
        }

        @Override
        public int descriptor() {
            return -1;
        }

        @Override
        public Buffers buffers() {
            return new Buffers(0, 0, 0, 0, 0, 0, true, false);
        }
    }
}
