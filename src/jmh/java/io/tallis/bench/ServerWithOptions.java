package io.tallis.bench;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// A server that is started with further options.
record ServerWithOptions(ServerKind kind, List<String> options) implements ServerKind {
    @Override
    public Side side() {
        return kind.side();
    }

    @Override
    public String version() {
        return kind.version();
    }

    @Override
    public List<String> command(int port, Path directory, Fsync fsync) {
        return Stream.concat(kind.command(port, directory, fsync).stream(), options.stream())
                .toList();
    }

    @Override
    public Replication replication() {
        return kind.replication();
    }

    @Override
    public void prepareRestart(ServerUnderTest server) {
        kind.prepareRestart(server);
    }

    @Override
    public long liveBytes(ServerUnderTest server) {
        return kind.liveBytes(server);
    }
}
