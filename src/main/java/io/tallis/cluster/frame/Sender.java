package io.tallis.cluster.frame;

import io.tallis.crdt.ReplicaId;
import io.tallis.wire.ByteWriter;
import java.util.Collection;

/// Builds this session's frames one at a time and sends them: [#begin], then the body, then a method that sends it.
///
/// Counts the session's DELTA frames: the number of the last one, the *head*, is in each frame that leaves, so that a
/// receiver notices when one is missing.
public final class Sender {
    private static final int KEPT_BYTES = 1 << 17;

    private final Transport transport;
    private final ReplicaId self;
    private final ByteWriter out = new ByteWriter(1 << 13);
    private int version = Frame.OLDEST_VERSION;
    private int purge;
    private long head;

    public Sender(Transport transport, ReplicaId self) {
        this.transport = transport;
        this.self = self;
    }

    public long head() {
        return head;
    }

    /// Takes the number of the next DELTA frame.
    public long nextHead() {
        return ++head;
    }

    /// Frames are written in this version from now on: the newest that all reachable peers understand.
    public void version(int version) {
        this.version = version;
    }

    /// Frames that are begun from now on have the tag of this purge.
    public void purge(int tag) {
        purge = tag;
    }

    public ByteWriter begin(Kind kind) {
        out.clear();
        out.shrinkTo(KEPT_BYTES);
        Frame.begin(out, kind, self, head, purge);
        return out;
    }

    public void multicast() {
        transport.multicast(seal());
    }

    /// Multicasts a beat, in the version that every node understands, and sends it to reachable peers outside of the
    /// view, which a multicast may not get to.
    public void multicastBeat(Collection<ReplicaId> outsideOfView) {
        byte[] frame = Frame.seal(out, Frame.OLDEST_VERSION);
        transport.multicast(frame);
        outsideOfView.forEach(to -> transport.sendUnreliably(to, frame));
    }

    public void send(ReplicaId to) {
        transport.send(to, seal());
    }

    /// Without retransmission, see [Transport#sendUnreliably].
    public void sendUnreliably(ReplicaId to) {
        transport.sendUnreliably(to, seal());
    }

    /// Completes the frame that was begun, for [#multicast(byte[])].
    public byte[] seal() {
        return Frame.seal(out, version);
    }

    public void multicast(byte[] frame) {
        transport.multicast(frame);
    }
}
