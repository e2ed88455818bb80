package io.tallis.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Older copies of the data of nodes, at most one of each.
final class Copies {
    private final Path dir;
    private final Map<Integer, Path> kept = new TreeMap<>();

    Copies(Path dir) {
        this.dir = dir;
    }

    void take(ChaosNode node) throws IOException {
        Path copy = dir.resolve("copy-of-" + node);
        node.copyTo(copy);
        kept.put(node.number(), copy);
    }

    Optional<Path> of(int node) {
        return Optional.ofNullable(kept.get(node));
    }
}
