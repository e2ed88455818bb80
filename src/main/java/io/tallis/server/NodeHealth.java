package io.tallis.server;

import io.tallis.command.dispatch.LoadState;
import io.tallis.command.dispatch.WriteGate;
import io.tallis.http.Health;

/// The health of the node, for probes and load balancers.
record NodeHealth(LoadState disk, Membership membership, WriteGate writes) {
    Health now() {
        if (disk.loading()) {
            return bad("loading", disk.text());
        }
        LoadState cluster = membership.loadState();
        if (cluster.loading()) {
            return bad(membership.isHeld() ? "held" : "joining", cluster.text());
        }
        if (!membership.isComplete()) {
            return bad("incomplete", "The node serves, but does not have all counters of its cluster");
        }
        String refusal = writes.refusal();
        if (refusal == null) {
            return new Health(true, "ready", "");
        }
        return bad(refusal.equals(WriteGate.STOPPING) ? "stopping" : "read-only", refusal);
    }

    private static Health bad(String state, String reason) {
        return new Health(false, state, reason);
    }
}
