/// What people are told of nodes: which there are and were, and what happened to them.
///
/// Owns the registry of nodes and the chronicle of events, how those of several nodes are merged, and their forms on
/// the wire and on the disk. No count depends on any of it: what is lost here, or damaged, are names. Does not know how
/// nodes reach each other. Belongs to the replicator's thread, but for what is published for all.
///
/// Read [Registry] with [NodeRecord] and [KnownNodes], then [Chronicle] with [Event].
@NullMarked
package io.tallis.cluster.records;

import org.jspecify.annotations.NullMarked;
