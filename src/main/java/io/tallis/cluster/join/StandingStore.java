package io.tallis.cluster.join;

import io.tallis.cluster.peer.Standing;

/// Keeps the [Standing] of a node over restarts. The port to the data directory.
public interface StandingStore {
    /// Makes `standing` durable, after all that was handed to the journal before: a directory must not say that it is
    /// complete before it has the counters.
    ///
    /// Returns at once. Runs `done` or `failed` on the replicator's thread. Standings are written in the order of the
    /// calls.
    void save(Standing standing, Runnable done, Runnable failed);
}
