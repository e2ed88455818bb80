/// The agreement of all nodes on folds, by which shards of ended sessions become one; see `folding.md`.
///
/// Read [Folding].
@NullMarked
package io.tallis.cluster.fold;

import org.jspecify.annotations.NullMarked;
