/// Commands about the other nodes: who they are, how far they have this node's changes, what happened.
///
/// Owns these commands and the form of their answers. What they tell comes through the port [Cluster]; [PlainNode]
/// stands behind it where there are no others.
@NullMarked
package io.tallis.command.cluster;

import org.jspecify.annotations.NullMarked;
