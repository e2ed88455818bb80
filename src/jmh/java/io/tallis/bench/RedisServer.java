package io.tallis.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// Redis with an append-only file, whose base is in RDB form, and without snapshots.
record RedisServer(String program) implements ServerKind {
    private static final Duration LONGEST_REWRITE = Duration.ofMinutes(5);

    @Override
    public Side side() {
        return Side.REDIS;
    }

    @Override
    public String version() {
        return Commands.run(List.of(program, "--version"), Duration.ofSeconds(10))
                .strip();
    }

    @Override
    public List<String> command(int port, Path directory, Fsync fsync) {
        return List.of(
                program,
                "--port",
                Integer.toString(port),
                "--bind",
                "127.0.0.1",
                "--dir",
                directory.toString(),
                "--appendonly",
                "yes",
                "--appendfsync",
                fsync.option(),
                "--save",
                "");
    }

    @Override
    public Replication replication() {
        return new RedisReplication(this);
    }

    /// Rewrites the append-only file, which leaves the faster of its two forms.
    @Override
    public void prepareRestart(ServerUnderTest server) {
        awaitRewrite(server);
        server.admin().call("BGREWRITEAOF");
        awaitRewrite(server);
        if (!server.admin().info("aof_last_bgrewrite_status").equals("ok")) {
            throw new BenchException("Redis could not rewrite its append-only file");
        }
    }

    private static void awaitRewrite(ServerUnderTest server) {
        Waiting.until(
                "Redis has rewritten its append-only file",
                LONGEST_REWRITE,
                () -> server.admin().info("aof_rewrite_in_progress").equals("0")
                        && server.admin().info("aof_rewrite_scheduled").equals("0"));
    }

    @Override
    public long liveBytes(ServerUnderTest server) {
        return Long.parseLong(server.admin().info("used_memory"));
    }
}
