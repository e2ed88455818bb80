package io.tallis.cluster.jgroups;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tallis.cluster.frame.Transport;
import io.tallis.crdt.ReplicaId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Receiver that records frames and views.
final class Listener implements Transport.Receiver {
    private final List<Arrival> frames = new CopyOnWriteArrayList<>();
    private final List<List<ReplicaId>> views = new CopyOnWriteArrayList<>();

    record Arrival(ReplicaId from, ByteBuffer frame, String thread) {
        String text() {
            return UTF_8.decode(frame.duplicate()).toString();
        }
    }

    @Override
    public void onFrame(ReplicaId from, byte[] frame) {
        frames.add(
                new Arrival(from, ByteBuffer.wrap(frame), Thread.currentThread().getName()));
    }

    @Override
    public void onView(List<ReplicaId> members) {
        views.add(members);
    }

    List<Arrival> frames() {
        return List.copyOf(frames);
    }

    int count() {
        return frames.size();
    }

    int views() {
        return views.size();
    }

    List<ReplicaId> view() {
        return views.isEmpty() ? List.of() : views.getLast();
    }
}
