/// Replication: how nodes come to hold the same counters. A state machine that takes time, frames and views in, and
/// gives frames out.
///
/// Owns what a node knows of others and decides what it sends to them. Owns no socket and no clock. Its only thread is
/// [io.tallis.cluster.ReplicatorThread]. The page `replication.md` explains the design. In reading order:
///
///     cluster            Replicator connects the parts; ReplicatorThread runs it; Reception dispatches frames;
///                        Waits serves WAIT; Gossip, EventReporter, StatusReporter, ReplicationStatus inform people
///     cluster.join       when a node may serve clients, and which cluster it belongs to
///     cluster.pull       comparing everything with another node, and fetching what differs
///     cluster.delta      own changes out, the changes of others in, and the repair of lost frames
///     cluster.peer       which sessions are reachable, and how much of each session's changes is where
///     cluster.frame      one message: its form, its kinds, and the port that carries it
///     cluster.records    what is shown to people about nodes and events
///     cluster.jgroups    the adapter of that port, and the only user of JGroups
///
/// Each package uses only those below it in this list, and none but the adapter uses `jgroups`.
@NullMarked
package io.tallis.cluster;

import org.jspecify.annotations.NullMarked;
