package io.tallis.server;

import io.tallis.cluster.Registry;
import org.jspecify.annotations.Nullable;

/// Remembers no node: all that is known of nodes is gone with the process.
final class NothingKept implements Registry.Store {
    @Override
    public byte @Nullable [] load() {
        return null;
    }

    @Override
    public void save(byte[] bytes) {}
}
