package io.tallis.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// A Tallis node as `scripts/tallis` starts it.
record TallisServer(String program) implements ServerKind {
    private static final Duration LONGEST_BUILD = Duration.ofMinutes(10);

    @Override
    public Side side() {
        return Side.TALLIS;
    }

    /// The first call builds a node that is not built yet, and tells of it; the second has only the version to say.
    @Override
    public String version() {
        Commands.run(List.of(program, "--version"), LONGEST_BUILD);
        return Commands.run(List.of(program, "--version"), LONGEST_BUILD).strip();
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
                "--appendfsync",
                fsync.option());
    }

    @Override
    public Replication replication() {
        return TallisReplication.of(this);
    }

    /// Nothing to do: stopping a node leaves the form from which it starts.
    @Override
    public void prepareRestart(ServerUnderTest server) {}

    @Override
    public long liveBytes(ServerUnderTest server) {
        return new HeapProbe(server.pid()).liveBytes();
    }
}
