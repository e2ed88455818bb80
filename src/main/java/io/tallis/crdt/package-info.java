/// The counters' lattice: what one counter is, how two states of it merge, what a reset is, what it is worth.
///
/// Owns the merge laws and the arithmetic; knows nothing of keys, bytes, threads or files, and depends on the JDK only.
/// A [Counter] belongs to one thread at a time; [Replicas] is safe for concurrent use.
///
/// Read [CounterType], [ReplicaId], [Replicas], then [Counter].
@NullMarked
package io.tallis.crdt;

import org.jspecify.annotations.NullMarked;
