/// Frames between nodes by JGroups, which knows who is there and carries bytes, and decides nothing else.
///
/// Owns the channel, its threads and its protocols; knows nothing of what frames say. Only here is JGroups used. In
/// reading order: [JGroupsTransport], [Inbox], [Stack], [Delivery], [FreshTcp], [SteadyMerge], [PatientGms],
/// [ClusterKey], [Precautions], [LibraryLog].
@NullMarked
package io.tallis.cluster.jgroups;

import org.jspecify.annotations.NullMarked;
