package io.tallis.cluster.frame;

import io.tallis.crdt.ReplicaId;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/// A transport that counts the frames and bytes that pass, in total and for each reachable session.
///
/// A multicast counts once in the total, and once for each reachable session. The counts of a session are dropped when
/// it becomes unreachable. Belongs to the replicator's thread.
public final class MeteredTransport implements Transport {
    /// The bytes that passed to and from one session while it was reachable.
    private static final class Meter {
        private long bytesIn;
        private long bytesOut;
    }

    /// Bytes received and sent.
    public record Traffic(long bytesIn, long bytesOut) {}

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

    /// Other sessions are reachable now; the own session may be among `reachable`.
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
        if (Frame.isRepair(frame)) {
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
    public void sendUnreliably(ReplicaId to, byte[] frame) {
        countSent(to, frame);
        transport.sendUnreliably(to, frame);
    }

    /// A frame arrived, valid or not.
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

    /// The bytes of frames with cells that their receiver had asked for, in both directions.
    public long repairBytes() {
        return repairBytes;
    }

    public Traffic traffic() {
        return new Traffic(bytesIn, bytesOut);
    }

    /// The bytes that passed to and from a reachable session; 0 for any other.
    public Traffic traffic(ReplicaId session) {
        Meter meter = meters.get(session);
        return meter == null ? new Traffic(0, 0) : new Traffic(meter.bytesIn, meter.bytesOut);
    }
}
