package io.tallis.cluster.frame;

import io.tallis.cluster.ReplicationStatus;
import io.tallis.crdt.ReplicaId;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// A transport that counts what passes, in all and for each session in the view.
///
/// What is sent to all counts once in all, and once for each who is to get it. A session that leaves the view takes
/// its counts with it. Belongs to the replicator's thread.
public final class MeteredTransport implements Transport {
    /// What passed to and from one session while it was in the view.
    private static final class Meter {
        private long bytesIn;
        private long bytesOut;
    }

    private final Transport transport;
    private final ReplicaId own;
    private final Map<ReplicaId, Meter> meters = new HashMap<>();
    private long framesIn;
    private long framesOut;
    private long bytesIn;
    private long bytesOut;
    private long repairBytes;

    public MeteredTransport(Transport transport, ReplicaId own) {
        this.transport = transport;
        this.own = own;
    }

    /// The sessions that can be reached; the own session is not counted for itself.
    public void onPeers(Collection<ReplicaId> reachable) {
        Set<ReplicaId> others = new HashSet<>(reachable);
        others.remove(own);
        meters.keySet().retainAll(others);
        others.forEach(other -> meters.computeIfAbsent(other, _ -> new Meter()));
    }

    @Override
    public void multicast(byte[] frame) {
        countSent(frame);
        meters.values().forEach(meter -> meter.bytesOut += frame.length);
        transport.multicast(frame);
    }

    private void countSent(byte[] frame) {
        framesOut++;
        bytesOut += frame.length;
        countRepair(frame);
    }

    private void countRepair(byte[] frame) {
        if (Frame.repairs(frame)) {
            repairBytes += frame.length;
        }
    }

    private void countSent(ReplicaId to, byte[] frame) {
        countSent(frame);
        Meter meter = meters.get(to);
        if (meter != null) {
            meter.bytesOut += frame.length;
        }
    }

    @Override
    public void send(ReplicaId to, byte[] frame) {
        countSent(to, frame);
        transport.send(to, frame);
    }

    @Override
    public void toss(ReplicaId to, byte[] frame) {
        countSent(to, frame);
        transport.toss(to, frame);
    }

    /// A frame has come, whatever it is worth.
    public void received(ReplicaId from, byte[] frame) {
        framesIn++;
        bytesIn += frame.length;
        countRepair(frame);
        Meter meter = meters.get(from);
        if (meter != null) {
            meter.bytesIn += frame.length;
        }
    }

    public long framesIn() {
        return framesIn;
    }

    public long framesOut() {
        return framesOut;
    }

    /// How many bytes passed that somebody had asked for, in frames that brought cells.
    public long repairBytes() {
        return repairBytes;
    }

    public ReplicationStatus.Traffic traffic() {
        return new ReplicationStatus.Traffic(bytesIn, bytesOut);
    }

    /// What passed to and from one that is in the view; nothing for anyone else.
    public ReplicationStatus.Traffic traffic(ReplicaId session) {
        Meter meter = meters.get(session);
        return meter == null
                ? new ReplicationStatus.Traffic(0, 0)
                : new ReplicationStatus.Traffic(meter.bytesIn, meter.bytesOut);
    }
}
