/// Which sessions are reachable, and how much of each session's changes this node and its peers have.
///
/// In reading order: [io.tallis.cluster.peer.Peers] (which sessions are reachable), [io.tallis.cluster.peer.AwakeClock]
/// (by which clock), [io.tallis.cluster.peer.Progress] (what this node has of one session),
/// [io.tallis.cluster.peer.Sessions] and [io.tallis.cluster.peer.Vector] (of all sessions; what *news* are),
/// [io.tallis.cluster.peer.Beat] and [io.tallis.cluster.peer.Beats] (how peers learn it),
/// [io.tallis.cluster.peer.Standing] (which cluster a node belongs to).
@NullMarked
package io.tallis.cluster.peer;

import org.jspecify.annotations.NullMarked;
