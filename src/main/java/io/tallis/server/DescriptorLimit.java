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

/// How many files and connections the process may have open at a time.
///
/// Clients get what is left when [#KEPT] are kept: a node without descriptors for its disk would have to refuse
/// all changes, and anyone who connects could bring it there.
record DescriptorLimit(long files) {
    /// For the journal, the database, backups, libraries, listeners, and connections that are being turned away.
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

    /// Reads what Linux tells of a process; where that says nothing there is no limit that we know of.
    static DescriptorLimit in(String limits) {
        Matcher found = OPEN_FILES.matcher(limits);
        return new DescriptorLimit(found.find() ? Long.parseLong(found.group(1)) : Long.MAX_VALUE);
    }

    long mostClients() {
        return files - KEPT;
    }

    /// Lowers `maxclients` to what fits, and says so. Throws [StartException] when nobody could connect.
    void applyTo(Config config) {
        long wanted = config.values().get(Settings.MAXCLIENTS);
        if (mostClients() < 1) {
            throw new StartException("the process may have " + files + " files open, and needs " + KEPT
                    + " for itself and one for each client: raise the limit (ulimit -n, LimitNOFILE)");
        }
        if (wanted > mostClients()) {
            config.set(Map.of(Settings.MAXCLIENTS.name(), Long.toString(mostClients())));
            LOG.log(
                    Level.WARNING,
                    "maxclients is " + mostClients() + " instead of " + wanted + ": the process may have " + files
                            + " files open, and keeps " + KEPT + " for itself; for all clients set the limit"
                            + " (ulimit -n, LimitNOFILE) to " + (wanted + KEPT));
        }
    }
}
