package io.tallis.server;

import io.tallis.cluster.jgroups.ClusterKey;
import io.tallis.cluster.jgroups.TransportException;
import io.tallis.runtime.Randomness;
import java.nio.file.Path;

/// Creates key files for the encryption between nodes.
public final class ClusterKeys {
    private ClusterKeys() {}

    /// Writes a new key to a new file. Throws [StartException] when the file cannot be written.
    public static void generate(Path file, Randomness randomness) {
        try {
            ClusterKey.generate(file, randomness);
        } catch (TransportException refused) {
            throw new StartException(String.valueOf(refused.getMessage()));
        }
    }
}
