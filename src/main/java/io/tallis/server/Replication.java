package io.tallis.server;

import io.tallis.cluster.ReplicationStatus;
import io.tallis.metrics.DurationHistogram;

/// What replication does at one moment: the status that the replicator last published, what it and the transport
/// measure, and what the node adds to the time of its machine's clock. `framesNotSent` and `packetsRefused` are as in
/// [ClusterView.Operator].
record Replication(
        ReplicationStatus status,
        DurationHistogram convergence,
        boolean connected,
        long framesNotSent,
        long packetsRefused,
        long clockCorrectionMillis) {}
