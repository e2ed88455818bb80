/// Convergence: a state machine that takes time, frames and views in, and gives frames out.
///
/// Owns what a node knows of the others and how it comes to know what they know. Owns no thread but
/// [io.tallis.cluster.ReplicatorThread]'s, no socket and no clock; frames travel through a
/// [io.tallis.cluster.Transport]. The page `replication.md` is the design. In reading order: [Replicator] with its
/// parts, [ReplicatorThread], the forms of frames ([Kind], [Frame]), what people are told ([ReplicationStatus], and
/// [io.tallis.cluster.records]).
@NullMarked
package io.tallis.cluster;

import org.jspecify.annotations.NullMarked;
