package io.tallis.cluster.jgroups;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tallis.cluster.Transport;
import io.tallis.crdt.ReplicaId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Remembers what arrived.
final class Listener implements Transport.Receiver {
    private final List<Arrival> frames = new CopyOnWriteArrayList<>();
    private volatile List<ReplicaId> view = List.of();

    record Arrival(ReplicaId from, ByteBuffer frame) {
        String text() {
            return UTF_8.decode(frame.duplicate()).toString();
        }
    }

    @Override
    public void onFrame(ReplicaId from, byte[] frame) {
        frames.add(new Arrival(from, ByteBuffer.wrap(frame)));
    }

    @Override
    public void onView(List<ReplicaId> members) {
        view = members;
    }

    List<Arrival> frames() {
        return List.copyOf(frames);
    }

    List<ReplicaId> view() {
        return view;
    }
}
