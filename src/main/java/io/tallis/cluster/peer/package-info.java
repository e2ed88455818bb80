/// Which sessions can be reached, and what is here and there of each.
///
/// In reading order: [io.tallis.cluster.peer.Peers] (who is reachable), [io.tallis.cluster.peer.AwakeClock] (by which
/// time), [io.tallis.cluster.peer.Progress] and [io.tallis.cluster.peer.Sessions] (what of each session this node has),
/// [io.tallis.cluster.peer.Vector] (the form in which that is told), [io.tallis.cluster.peer.Beat] and
/// [io.tallis.cluster.peer.Beats] (the telling), [io.tallis.cluster.peer.Standing] (which cluster a node belongs to).
@NullMarked
package io.tallis.cluster.peer;

import org.jspecify.annotations.NullMarked;
