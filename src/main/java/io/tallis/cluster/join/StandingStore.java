package io.tallis.cluster.join;

import io.tallis.cluster.peer.Standing;

/// Keeps the [Standing] of a node where the next start of its process finds it.
public interface StandingStore {
    /// Makes `standing` durable; all that was handed to the journal before is durable first, so that a directory never
    /// claims to be complete with less than it had.
    ///
    /// Returns at once. Runs `done` or `failed`, on the replicator's thread. Not called again before that.
    void save(Standing standing, Runnable done, Runnable failed);
}
