/// Commands about the other nodes: `SYSTEM`, `ROLE`, `WAIT`, and the `INFO` section `replication`.
///
/// What they show comes through the ports [Cluster] and [Peers]. [PlainNode] implements the first for a node without
/// replication.
@NullMarked
package io.tallis.command.cluster;

import org.jspecify.annotations.NullMarked;
