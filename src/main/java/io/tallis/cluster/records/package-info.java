/// What is shown to people about the cluster: which nodes there are and were, and what happened to them.
///
/// Owns the registry of nodes and the chronicle of events, how nodes exchange and merge them, and their form in frames
/// and on disk. No count depends on any of it: if it is lost or damaged, names are lost. Belongs to the replicator's
/// thread, except what is published for all threads.
///
/// Read [Registry] with [NodeRecord] and [KnownNodes], then [Chronicle] with [Event].
@NullMarked
package io.tallis.cluster.records;

import org.jspecify.annotations.NullMarked;
