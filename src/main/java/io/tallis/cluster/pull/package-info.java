/// Comparing all partitions with another node by digests, and fetching the cells that differ.
///
/// In reading order: [io.tallis.cluster.pull.Pulls] (when, and from which nodes), [io.tallis.cluster.pull.Pull] (one
/// provider and one range of partitions; the sequence of frames), [io.tallis.cluster.pull.PullTimeout] (its retries),
/// [io.tallis.cluster.pull.Provider] (the other side).
@NullMarked
package io.tallis.cluster.pull;

import org.jspecify.annotations.NullMarked;
