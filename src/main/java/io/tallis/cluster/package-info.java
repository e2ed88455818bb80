/// How nodes come to hold the same counters: a state machine that takes time, frames and views in and gives frames out.
///
/// Owns what a node knows of others and decides what it sends them. Owns no socket and no clock; the only thread is
/// that
/// of [io.tallis.cluster.ReplicatorThread]. The page `replication.md` is the design. In reading order:
///
///     cluster            Replicator ties the parts together; ReplicatorThread drives it; Reception takes frames apart;
///                        Waits serves WAIT; Gossip, Narrator, Report and ReplicationStatus inform people
///     cluster.frame      one message: its form, its kinds, and the port that carries it
///     cluster.peer       which sessions can be reached, and what is here and there of each
///     cluster.delta      own changes out, others' changes in, and the repair of what was lost on the way
///     cluster.pull       comparing everything with another node, and fetching what differs
///     cluster.join       when a node may serve clients, and which cluster it belongs to
///     cluster.records    what people are told of nodes and events
///     cluster.jgroups    the only user of JGroups
///
/// A package uses those below it in this order of use: root, join, pull, delta, peer, frame, records.
@NullMarked
package io.tallis.cluster;

import org.jspecify.annotations.NullMarked;
