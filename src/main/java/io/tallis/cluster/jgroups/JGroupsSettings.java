package io.tallis.cluster.jgroups;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jgroups.util.Util;
import org.jspecify.annotations.Nullable;

/// Settings of the transport between nodes.
///
/// `cluster` is the name that all nodes of a cluster share, `node` that of this one, for people. `stack` is `udp`,
/// `tcp`, `k8s` or a file. `bind` and `port` are this node's; `seeds`, `multicast` and `dns` say where the others are,
/// each for the stacks that use it. `keyFile` is the file of the cluster's keys; without one, `insecure` allows to bind
/// to an address that other machines reach.
public record JGroupsSettings(
        String cluster,
        String node,
        String stack,
        String bind,
        int port,
        List<InetSocketAddress> seeds,
        InetSocketAddress multicast,
        String dns,
        @Nullable Path keyFile,
        boolean insecure) {
    static {
        LibrarySetup.prepare();
    }

    /// The stacks that need no file.
    public static final Set<String> BUILT_IN_STACKS = Set.of("udp", "tcp", "k8s");

    /// The address of this machine that `cluster-bind` picks, by itself or by a word such as `site_local`; null if
    /// none.
    public static @Nullable InetAddress picked(String bind) {
        try {
            return Util.getAddress(bind, Util.getIpStackType());
        } catch (Exception _) {
            return null;
        }
    }
}
