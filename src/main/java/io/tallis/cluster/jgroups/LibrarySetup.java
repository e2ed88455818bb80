package io.tallis.cluster.jgroups;

import io.tallis.runtime.Clock;
import java.io.ObjectInputFilter.Config;
import java.security.Security;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jgroups.logging.LogFactory;

/// Settings of the JVM and of JGroups that must be made before any class of JGroups is loaded, as they are read once.
///
/// JGroups can make objects of any class out of what it receives. Nothing here needs that, so it is forbidden, on top
/// of [PacketCipher], which keeps such bytes from JGroups.
///
/// The JVM's choice between IPv4 and IPv6 is left alone, as clients may come over both; for the cluster `cluster-bind`
/// decides.
final class LibrarySetup {
    private static final String NOTHING = "!*";
    private static final String SECONDS_TO_KEEP_NAMES = "1";

    private LibrarySetup() {}

    static void prepare() {
        System.setProperty("jgroups.deserialization.filter", NOTHING);
        // An operator may allow Java's serialisation for something else in this process. Setting the property here
        // would be too late: the JDK reads it at its start.
        if (System.getProperty("jdk.serialFilter") == null && Config.getSerialFilter() == null) {
            Config.setSerialFilter(Config.createFilter(NOTHING));
        }
        // Nodes found by DNS come and go: a name that was not known yet must be looked up again soon.
        Security.setProperty("networkaddress.cache.ttl", SECONDS_TO_KEEP_NAMES);
        Security.setProperty("networkaddress.cache.negative.ttl", SECONDS_TO_KEEP_NAMES);
        LogFactory.setCustomLogFactory(new LibraryLog.Factory(Clock.system(), new AtomicBoolean()));
    }
}
