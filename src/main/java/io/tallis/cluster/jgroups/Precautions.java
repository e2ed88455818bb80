package io.tallis.cluster.jgroups;

import io.tallis.runtime.Clock;
import org.jgroups.logging.LogFactory;

/// What must hold before any other class of JGroups is loaded, as they look at it once.
///
/// JGroups makes objects out of bytes before any of its protocols, encryption too, has seen them: whoever can reach
/// the port could have the process run code. Nothing here needs that, so nothing may be made that way.
final class Precautions {
    private Precautions() {}

    static void take() {
        System.setProperty("jgroups.deserialization.filter", "!*");
        // An operator who needs Java's serialisation for something else in this process may say so himself.
        if (System.getProperty("jdk.serialFilter") == null) {
            System.setProperty("jdk.serialFilter", "!*");
        }
        LogFactory.setCustomLogFactory(new LibraryLog.Factory(Clock.system()));
    }
}
