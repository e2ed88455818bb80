package io.tallis.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.RedisMessage;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongUnaryOperator;

/// One side of a comparison: a server, its directory, and what must be in it after all that was sent.
final class Subject implements AutoCloseable {
    private static final int CONNECTIONS = 4;
    private static final int BATCH = 500;
    private static final String DATA = "data";

    private final ServerKind kind;
    private final Fsync fsync;
    private final DataDirectory directory;
    private ServerUnderTest server;
    private long keys;
    private long sum;

    /// Starts an empty server in a directory below `parent`.
    Subject(ServerKind kind, Fsync fsync, Path parent) {
        this.kind = kind;
        this.fsync = fsync;
        directory = new DataDirectory(parent, kind.side().title());
        server = start(kind, directory, fsync);
    }

    private static ServerUnderTest start(ServerKind kind, DataDirectory directory, Fsync fsync) {
        try {
            return new ServerUnderTest(kind, directory.path().resolve(DATA), fsync);
        } catch (BenchException failure) {
            directory.close();
            throw failure;
        }
    }

    Side side() {
        return kind.side();
    }

    ServerKind kind() {
        return kind;
    }

    ServerUnderTest server() {
        return server;
    }

    Path dataDirectory() {
        return directory.path().resolve(DATA);
    }

    /// Stops the server as an operator does, and starts it again on what it left.
    void restart() {
        server.stop();
        server.close();
        server = start(kind, directory, fsync);
    }

    /// Makes keys 0 to `count` - 1, each worth 1.
    void fill(long count) {
        change(count, LongUnaryOperator.identity());
        keys = count;
        server.awaitRest();
        requireKeys();
    }

    /// Adds 1 to so many counters, the i-th time to the one numbered `numbers(i)`.
    void change(long count, LongUnaryOperator numbers) {
        send(Workload.INCRBY, count, numbers, _ -> {});
        expect(Workload.INCRBY, count);
    }

    private void send(Workload workload, long count, LongUnaryOperator numbers, Consumer<RedisMessage> replies) {
        Request request = Request.of(workload, side());
        new PipelinedLoad(count, BATCH, request, numbers, replies).run(server.port(), CONNECTIONS);
    }

    /// Notes that so many requests have been sent and answered.
    void expect(Workload workload, long requests) {
        sum += workload.adds() * requests;
    }

    /// What all requests that were sent here have added.
    long sum() {
        return sum;
    }

    /// Throws unless the server has just the keys that were made.
    void requireKeys() {
        requireKeys(keys);
    }

    /// Throws unless the server has just so many keys.
    void requireKeys(long keys) {
        String found = server.admin().call("DBSIZE");
        if (!found.equals(Long.toString(keys))) {
            throw new BenchException(side().title() + " has " + found + " keys, not " + keys);
        }
    }

    /// Reads every key and throws unless they add up to all that was sent.
    void audit() {
        audit(keys, sum);
    }

    /// Reads so many keys and throws unless they are all there are and add up to `sum`.
    void audit(long keys, long sum) {
        requireKeys(keys);
        LongAdder counted = new LongAdder();
        send(Workload.GET, keys, LongUnaryOperator.identity(), reply -> counted.add(valueOf(reply)));
        if (counted.sum() != sum) {
            throw new BenchException(side().title() + " counted " + counted + ", sent was " + sum);
        }
    }

    private static long valueOf(RedisMessage reply) {
        if (reply instanceof FullBulkStringRedisMessage bulk && !bulk.isNull()) {
            return Long.parseLong(bulk.content().toString(US_ASCII));
        }
        throw new BenchException("GET was answered with " + reply);
    }

    @Override
    public void close() {
        server.close();
        directory.close();
    }
}
