/// Comparing everything with another node, by digests of partitions, and fetching what differs.
///
/// In reading order: [io.tallis.cluster.pull.Pulls] (when, and from which nodes), [io.tallis.cluster.pull.Pull] (one
/// provider, one range of partitions), [io.tallis.cluster.pull.Patience] (its timeouts),
/// [io.tallis.cluster.pull.Provider] (the other side).
@NullMarked
package io.tallis.cluster.pull;

import org.jspecify.annotations.NullMarked;
