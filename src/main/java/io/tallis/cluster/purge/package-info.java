/// The agreement of all nodes on purges, by which tombstones of deleted counters leave memory and disk; see
/// `purging.md`.
///
/// Read [Purging].
@NullMarked
package io.tallis.cluster.purge;

import org.jspecify.annotations.NullMarked;
