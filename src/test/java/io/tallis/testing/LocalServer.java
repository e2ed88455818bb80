package io.tallis.testing;

import io.tallis.config.Config;
import io.tallis.config.ConfigLoader;
import io.tallis.config.Given;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Randomness;
import io.tallis.server.TallisServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

/// A whole node in the process of the test, on a free port of 127.0.0.1.
public final class LocalServer implements AutoCloseable {
    /// Referenced, so that its level is kept: the output of tests has no INFO lines of servers.
    private static final Logger LOG = Logger.getLogger("io.tallis");

    static {
        LOG.setLevel(Level.WARNING);
    }

    private final TallisServer server;

    private LocalServer(TallisServer server) {
        this.server = server;
    }

    /// A node that keeps its counters in `dir`; settings are alternating names and values.
    public static LocalServer in(Path dir, String... settings) {
        return start(List.of("dir", dir.toString()), settings);
    }

    /// A node that keeps nothing.
    public static LocalServer inMemory(String... settings) {
        return start(List.of("persistence", "no"), settings);
    }

    private static LocalServer start(List<String> first, String... more) {
        List<String> all = new ArrayList<>(List.of("bind", "127.0.0.1", "port", "0"));
        all.addAll(first);
        all.addAll(List.of(more));
        List<Given> given = new ArrayList<>();
        for (int i = 0; i < all.size(); i += 2) {
            given.add(new Given(all.get(i), List.of(all.get(i + 1)), "test"));
        }
        Config config = ConfigLoader.load(null, Map.of(), given);
        TallisServer server = TallisServer.open(config, Clock.system(), Randomness.secure());
        server.start();
        return new LocalServer(server);
    }

    public int port() {
        return server.port();
    }

    public String uri() {
        return "redis://127.0.0.1:" + port();
    }

    @Override
    public void close() {
        server.stop();
    }
}
