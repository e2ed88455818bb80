/// The counters of this node in memory: which keys there are, what each is worth, which changed since a consumer last
/// asked, and digests for comparing nodes.
///
/// Owns partitions, packed cells and their locks. Knows nothing of disks, frames and peers: a change is recorded in the
/// [ChangeLog] of the thread that makes it and marked for the consumers, which ask in their own time.
///
/// Words:
/// * *cell*: one counter in memory, a key and a type with all shards. The unit of change (I8).
/// * *mark*: a bit beside a cell, one for each consumer: the cell is dirty, this consumer has not seen its present
///   state. See [Marks].
/// * *entry*: a cell, or one shard of it, in the wire form of [io.tallis.wire.CellCodec], with absolute totals.
/// * *row*: an entry in the journal. A change is encoded once: the entry for the peers is a copy of the row.
/// * *ring*: entries on their way from an event loop to the replicator. See [EntryRing].
/// * *stamp*: a number beside a cell that says in which of this session's frames it was last sent. See [OwnChanges].
/// * *turn*: one round of an event loop; its rows are written together. See [TurnLog].
/// * *own change*: a change made by a client of this node, in contrast to a merge.
///
/// Threads: any thread may use the keyspace, each through a [Counters] of its own. A partition's lock guards everything
/// in it; a thread that takes several takes them in ascending order. Under a lock only the thread's own change log and
/// ring are called, which append to memory, and visitors, which copy what they are shown.
///
/// Read [Key], [Counters] and [Keyspace], then [Partition] with [CellTable], [PackedCell] and [Marks], below them
/// [Arena] and [Slabs]. Hashes: [Hashes] with [FieldIndex], [Ranking] with [FieldOrder]. Replication: [OwnChanges],
/// [EntryRing] and [PartitionDigest]. Transfer of many cells: [LeafWriter] and [CellWriter] on the sending side,
/// [ReceivedCell], [CellInserter] and [Packer] on the receiving one.
@NullMarked
package io.tallis.keyspace;

import org.jspecify.annotations.NullMarked;
