package io.tallis.server;

import io.tallis.config.Config;
import io.tallis.config.Settings;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The limit of open files and connections of the process.
///
/// [#KEPT] descriptors are reserved, and clients get the others. Without a reserve, clients that merely connect could
/// leave none for the disk, and the node would have to refuse all changes.
record DescriptorLimit(long files) {
    /// For the journal, the database, backups, libraries, listeners, and connections that are being refused.
    static final int KEPT = 256;

    private static final Logger LOG = System.getLogger(DescriptorLimit.class.getName());
    private static final Path LIMITS = Path.of("/proc/self/limits");

    /// The limit in force; at its start the JVM raises it to the hard one.
    private static final Pattern OPEN_FILES = Pattern.compile("(?m)^Max open files +([0-9]+) ");

    static DescriptorLimit ofProcess() {
        try {
            return in(Files.readString(LIMITS));
        } catch (IOException _) {
            return in("");
        }
    }

    /// Parses `/proc/self/limits`; a text without the limit means no limit.
    static DescriptorLimit in(String limits) {
        Matcher found = OPEN_FILES.matcher(limits);
        return new DescriptorLimit(found.find() ? Long.parseLong(found.group(1)) : Long.MAX_VALUE);
    }

    long mostClients() {
        return files - KEPT;
    }

    /// Lowers `maxclients` to the available descriptors, with a warning. Throws [StartException] if there is none.
    void applyTo(Config config) {
        long wanted = config.values().get(Settings.MAXCLIENTS);
        if (mostClients() < 1) {
            throw new StartException("the limit of open files is " + files + "; the server needs " + KEPT
                    + " and one for each client: raise the limit (ulimit -n, LimitNOFILE)");
        }
        if (wanted > mostClients()) {
            config.set(Map.of(Settings.MAXCLIENTS.name(), Long.toString(mostClients())));
            LOG.log(
                    Level.WARNING,
                    "maxclients is lowered from " + wanted + " to " + mostClients() + ": the limit of open files is "
                            + files + ", and " + KEPT + " of them are reserved; set the limit (ulimit -n,"
                            + " LimitNOFILE) to " + (wanted + KEPT) + " for all clients");
        }
    }
}
