package io.tallis.cluster.jgroups;

import io.tallis.runtime.Clock;
import java.io.ObjectInputFilter.Config;
import java.security.Security;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jgroups.logging.LogFactory;

/// What must hold before any other class of JGroups is loaded, as they look at it once.
///
/// JGroups makes objects out of bytes before any of its protocols, encryption too, has seen them: whoever can reach
/// the port could have the process run code. Nothing here needs that, so nothing may be made that way.
///
/// The JVM's choice between IPv4 and IPv6 is left alone, as clients may come over both; for the cluster the address
/// to bind to decides.
final class Precautions {
    private static final String NOTHING = "!*";
    private static final String SECONDS_TO_KEEP_NAMES = "1";

    private Precautions() {}

    static void take() {
        System.setProperty("jgroups.deserialization.filter", NOTHING);
        // An operator who needs Java's serialisation for something else in this process may say so himself. To set the
        // property here would be too late: the JDK reads it when the process begins.
        if (System.getProperty("jdk.serialFilter") == null && Config.getSerialFilter() == null) {
            Config.setSerialFilter(Config.createFilter(NOTHING));
        }
        // Nodes that meet by DNS come and go: a name that was not known yet must be asked for again soon.
        Security.setProperty("networkaddress.cache.ttl", SECONDS_TO_KEEP_NAMES);
        Security.setProperty("networkaddress.cache.negative.ttl", SECONDS_TO_KEEP_NAMES);
        LogFactory.setCustomLogFactory(new LibraryLog.Factory(Clock.system(), new AtomicBoolean()));
    }
}
