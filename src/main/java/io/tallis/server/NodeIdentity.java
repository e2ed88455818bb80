package io.tallis.server;

import io.tallis.config.Settings;
import io.tallis.config.Values;
import io.tallis.runtime.Randomness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/// Who a node is for people: a UUID that its data directory keeps, and a name that its operator gives.
///
/// Counting depends on neither (I2): a directory that was copied has the UUID twice, and no harm is done.
record NodeIdentity(UUID uuid, String name) {
    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    static NodeIdentity of(UUID uuid, Values values) {
        return new NodeIdentity(uuid, name(values));
    }

    /// What its operator calls it, or else its machine.
    static String name(Values values) {
        String name = values.get(Settings.NAME);
        return name.isEmpty() ? hostName() : name;
    }

    /// For a node that keeps nothing: as long-lived as its process.
    static UUID freshUuid(Randomness randomness) {
        long version4 = (randomness.nextLong() & ~0xF000L) | 0x4000L;
        long variant = (randomness.nextLong() & ~(0b11L << 62)) | (0b10L << 62);
        return new UUID(version4, variant);
    }

    /// Not from the network, which may take its time to answer.
    private static String hostName() {
        try {
            return Files.readString(HOST_NAME).strip();
        } catch (IOException _) {
            return System.getenv().getOrDefault("HOSTNAME", "localhost");
        }
    }
}
