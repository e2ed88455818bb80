/// The counters of this node in memory: which keys there are, what each is worth, what changed since a consumer
/// last asked, and a digest of it all.
///
/// Owns partitions, packed cells and their locks. Does not know who asks, what is written to disk or sent to peers:
/// changes are announced to the [ChangeLog] of the thread that makes them, and marked for consumers that come by.
///
/// Threads: any thread may use the keyspace, each through a [Counters] of its own. A partition's lock guards all in
/// it; whoever takes several takes them in ascending order. Nothing is called outwards under a lock but the change
/// log, which only appends to a buffer of the calling thread, and visitors, which only copy what they are shown. What
/// changes for clients reaches the replicator by rings of bytes, one for each thread that makes many, or by marks.
///
/// Read [Key], [Counters], [Keyspace], then [Partition] with [CellTable], [PackedCell] and [Marks], below them [Arena]
/// and [Slabs]; for replication [OwnChanges] with [Stamps], [EntryRings] and [OwnEntries], and [PartitionImage]; for
/// joining [LeafWriter] on the one side, [ToldCell] and [Adoption] on the other, and between them [CellWriter] and
/// [Packer].
@NullMarked
package io.tallis.keyspace;

import org.jspecify.annotations.NullMarked;
