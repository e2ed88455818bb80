/// The transport between nodes by JGroups, which supplies discovery, views and delivery of bytes, and its security.
///
/// Owns the channel, its protocols and threads, and the encryption of all that passes the cluster port; knows nothing
/// of what frames mean. Only this package uses JGroups. In reading order: [JGroupsTransport], [SendWindow],
/// [PacketCipher], [PacketGuard], [BoundedUdp], [BoundedTcp], [JGroupsStack], [Workarounds], [ReceiverThreadPolicy],
/// [ClusterKey], [LibrarySetup], [LibraryLog].
@NullMarked
package io.tallis.cluster.jgroups;

import org.jspecify.annotations.NullMarked;
