package io.tallis.bench;

import java.nio.file.Path;
import java.util.List;

/// How one kind of server is started and asked, where the two differ.
interface ServerKind {
    Side side();

    /// The version, as the server itself says it.
    String version();

    /// The command that serves `directory` on a port of the loopback interface.
    List<String> command(int port, Path directory, Fsync fsync);

    /// How several of these come to be a group, a new one each time.
    Replication replication();

    /// Brings the data into the form that restarts fastest, as an operator could before a restart.
    void prepareRestart(ServerUnderTest server);

    /// The bytes that live data takes by the server's own account, garbage left out.
    long liveBytes(ServerUnderTest server);
}
