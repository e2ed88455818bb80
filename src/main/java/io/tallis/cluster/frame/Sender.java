package io.tallis.cluster.frame;

import io.tallis.crdt.ReplicaId;
import io.tallis.wire.ByteWriter;
import java.util.Collection;

/// Makes this session's frames and sends them, one at a time: [#begin], the body, and then one of the others.
///
/// Knows the session's head, the number of its last frame of own changes.
public final class Sender {
    private static final int KEPT_BYTES = 1 << 17;

    private final Transport transport;
    private final ReplicaId self;
    private final ByteWriter out = new ByteWriter(1 << 13);
    private int version = Frame.OLDEST_VERSION;
    private long head;

    public Sender(Transport transport, ReplicaId self) {
        this.transport = transport;
        this.self = self;
    }

    public long head() {
        return head;
    }

    /// Begins the next frame of own changes.
    public long nextHead() {
        return ++head;
    }

    /// The newest version that all who are present understand.
    public void version(int version) {
        this.version = version;
    }

    public ByteWriter begin(Kind kind) {
        out.clear();
        out.shrinkTo(KEPT_BYTES);
        Frame.begin(out, kind, self, head);
        return out;
    }

    public void multicast() {
        transport.multicast(seal());
    }

    /// Multicasts a beat, in the version that all understand, and sends it to peers outside of the view as well.
    public void multicastBeat(Collection<ReplicaId> outsideOfView) {
        byte[] frame = Frame.seal(out, Frame.OLDEST_VERSION);
        transport.multicast(frame);
        outsideOfView.forEach(to -> transport.toss(to, frame));
    }

    public void send(ReplicaId to) {
        transport.send(to, seal());
    }

    /// Without any promise, see [Transport#toss].
    public void toss(ReplicaId to) {
        transport.toss(to, seal());
    }

    /// The frame that was begun, for [#multicast(byte[])].
    public byte[] seal() {
        return Frame.seal(out, version);
    }

    public void multicast(byte[] frame) {
        transport.multicast(frame);
    }
}
