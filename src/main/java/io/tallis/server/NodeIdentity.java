package io.tallis.server;

import io.tallis.config.Settings;
import io.tallis.config.Values;
import io.tallis.runtime.Randomness;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/// The identity of a node for people: a UUID kept in its data directory, and a name given by its operator.
///
/// Counters depend on neither (I2), so a copied data directory, which has the same UUID, does no harm.
record NodeIdentity(UUID uuid, String name) {
    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    static NodeIdentity of(UUID uuid, Values values) {
        return new NodeIdentity(uuid, name(values));
    }

    /// The setting `name`, or else the name of the machine.
    static String name(Values values) {
        String name = values.get(Settings.NAME);
        return name.isEmpty() ? hostName() : name;
    }

    /// The UUID of a node without a data directory: with the setting `name` the same at each start, so that other nodes
    /// do not wait for what ended with an earlier process; else for the life of its process.
    static UUID withoutDirectory(Values values, Randomness randomness) {
        String name = values.get(Settings.NAME);
        if (!name.isEmpty()) {
            String identity = values.get(Settings.CLUSTER_NAME) + "\n" + name;
            return UUID.nameUUIDFromBytes(identity.getBytes(StandardCharsets.UTF_8));
        }
        long version4 = (randomness.nextLong() & ~0xF000L) | 0x4000L;
        long variant = (randomness.nextLong() & ~(0b11L << 62)) | (0b10L << 62);
        return new UUID(version4, variant);
    }

    /// Read from the system and not by a network query, which can block.
    private static String hostName() {
        try {
            return Files.readString(HOST_NAME).strip();
        } catch (IOException _) {
            return System.getenv().getOrDefault("HOSTNAME", "localhost");
        }
    }
}
