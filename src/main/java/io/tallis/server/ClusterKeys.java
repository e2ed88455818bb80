package io.tallis.server;

import io.tallis.cluster.jgroups.ClusterKey;
import io.tallis.cluster.jgroups.TransportException;
import io.tallis.runtime.Randomness;
import java.nio.file.Path;

/// Makes the keys that clusters are encrypted with.
public final class ClusterKeys {
    private ClusterKeys() {}

    /// Writes a new key to a new file. Throws [StartException] when that cannot be.
    public static void generate(Path file, Randomness randomness) {
        try {
            ClusterKey.generate(file, randomness);
        } catch (TransportException refused) {
            throw new StartException(String.valueOf(refused.getMessage()));
        }
    }
}
