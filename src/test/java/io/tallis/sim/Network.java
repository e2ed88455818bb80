package io.tallis.sim;

import io.tallis.cluster.frame.Transport;
import io.tallis.crdt.ReplicaId;
import io.tallis.testing.Gen;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The network between the machines: carries frames as [Transport] promises, and no better.
final class Network {
    /// A session on the network.
    interface Station {
        ReplicaId id();

        int machine();

        /// Whether it is there for others: one that is frozen is not.
        boolean answers();

        /// What arrives; what `mayDrop` is forgotten where too much waits.
        void onFrame(ReplicaId from, byte[] frame, boolean mayDrop);
    }

    private record Pair(ReplicaId from, ReplicaId to) {}

    /// The most frames that wait for one session at another: asks, pulls and answers all have windows.
    static final int MOST_WAITING = 256;

    /// A frame, and one more cell with the longest key that clients use here.
    private static final int LONGEST_MULTICAST = 8_000 + 4_000;

    /// The largest frame that gets through where IP fragments are lost.
    private static final int LARGEST_OF_NARROW = 600;

    private static final long TRY_AGAIN_NANOS = 20_000_000;

    private final EventQueue events;
    private final Gen gen;
    private final boolean[][] cut;
    private final boolean[] narrow;
    private final Map<ReplicaId, Station> stations = new LinkedHashMap<>();
    private final Map<Pair, Stream> streams = new HashMap<>();
    private final Views views;
    private Weather weather = Weather.FAIR;
    private final FrameCount frames = new FrameCount();

    Network(EventQueue events, Gen gen, int machines) {
        this.events = events;
        this.gen = gen;
        cut = new boolean[machines][machines];
        narrow = new boolean[machines];
        views = new Views(events, gen, this);
    }

    Views views() {
        return views;
    }

    FrameCount frames() {
        return frames;
    }

    void weather(Weather weather) {
        this.weather = weather;
    }

    Iterable<Station> stations() {
        return stations.values();
    }

    boolean has(ReplicaId id) {
        return stations.containsKey(id);
    }

    /// Cuts or mends the way from one machine to another.
    void cut(int from, int to, boolean isCut) {
        cut[from][to] = isCut;
    }

    /// From one machine nothing gets through that is large.
    void narrow(int from) {
        narrow[from] = true;
    }

    void mendAll() {
        Arrays.fill(narrow, false);
        for (boolean[] ways : cut) {
            Arrays.fill(ways, false);
        }
    }

    boolean carries(Station from, Station to) {
        return !cut[from.machine()][to.machine()];
    }

    private boolean carries(Station from, Station to, byte[] frame) {
        return carries(from, to) && !(narrow[from.machine()] && frame.length > LARGEST_OF_NARROW);
    }

    Transport connect(Station station) {
        stations.put(station.id(), station);
        return new Transport() {
            @Override
            public void multicast(byte[] frame) {
                multicastFrom(station, frame);
            }

            @Override
            public void send(ReplicaId to, byte[] frame) {
                sendFrom(station, to, frame);
            }

            @Override
            public void sendUnreliably(ReplicaId to, byte[] frame) {
                tossFrom(station, to, frame);
            }
        };
    }

    void disconnect(ReplicaId id) {
        stations.remove(id);
        streams.keySet().removeIf(pair -> pair.from.equals(id) || pair.to.equals(id));
    }

    /// One session removes another from its view: what waits to be sent to it is dropped.
    void giveUp(ReplicaId from, ReplicaId to) {
        Stream stream = streams.get(new Pair(from, to));
        if (stream != null) {
            stream.clear();
        }
    }

    private void multicastFrom(Station from, byte[] frame) {
        frames.multicast(from.id(), frame);
        if (frame.length > LONGEST_MULTICAST) {
            throw new Violation("a multicast of %,d bytes (I6)".formatted(frame.length));
        }
        for (Station to : stations.values()) {
            if (!to.id().equals(from.id())) {
                int copies = gen.chance(weather.doublePercent()) ? 2 : 1;
                for (int i = 0; i < copies; i++) {
                    throwOver(from, to, frame);
                }
            }
        }
    }

    private void tossFrom(Station from, ReplicaId to, byte[] frame) {
        frames.unicast(frame);
        Station other = stations.get(to);
        if (other != null && frame.length <= LONGEST_MULTICAST) {
            throwOver(from, other, frame);
        }
    }

    private void throwOver(Station from, Station to, byte[] frame) {
        if (!carries(from, to, frame) || gen.chance(weather.lossPercent())) {
            return;
        }
        byte[] arriving = maybeDamaged(frame);
        events.in(delay(), () -> {
            if (has(to.id())) {
                to.onFrame(from.id(), arriving, true);
            }
        });
    }

    private long delay() {
        return gen.chance(weather.latePercent())
                ? gen.between(0, Weather.LATEST_NANOS)
                : gen.between(weather.delayNanos() / 4, weather.delayNanos() * 2);
    }

    private byte[] maybeDamaged(byte[] frame) {
        if (!gen.chance(weather.damagePercent())) {
            return frame;
        }
        byte[] damaged = frame.clone();
        switch (gen.between(0, 3)) {
            case 0 -> damaged = Arrays.copyOf(frame, gen.between(0, frame.length));
            case 1 -> damaged = gen.bytes(100);
            case 2 -> damaged[gen.between(0, 31)] ^= (byte) gen.between(1, 255);
            default -> damaged[gen.between(0, frame.length - 1)] ^= (byte) (1 << gen.between(0, 7));
        }
        return damaged;
    }

    private void sendFrom(Station from, ReplicaId to, byte[] frame) {
        frames.unicast(frame);
        if (!views.sees(from.id(), to) || !has(to)) {
            return;
        }
        Pair pair = new Pair(from.id(), to);
        Stream stream = streams.computeIfAbsent(pair, _ -> new Stream());
        stream.add(frame);
        if (stream.size() > MOST_WAITING) {
            throw new Violation("%d frames wait for one session (I6)".formatted(stream.size()));
        }
        move(pair, stream, delay());
    }

    private void move(Pair pair, Stream stream, long nanos) {
        if (!stream.moves()) {
            stream.moves(true);
            events.in(nanos, () -> arrive(pair, stream));
        }
    }

    private void arrive(Pair pair, Stream stream) {
        stream.moves(false);
        Station from = stations.get(pair.from);
        Station to = stations.get(pair.to);
        if (from == null || to == null || stream.isEmpty()) {
            return;
        }
        if (!carries(from, to, stream.first()) || !to.answers() || gen.chance(weather.lossPercent())) {
            move(pair, stream, TRY_AGAIN_NANOS);
            return;
        }
        to.onFrame(pair.from, maybeDamaged(stream.remove()), false);
        if (!stream.isEmpty()) {
            move(pair, stream, gen.between(5_000, 50_000));
        }
    }

    /// The members that a station sees when it looks now, in the order of their starts.
    List<ReplicaId> inReachOf(Station station) {
        List<ReplicaId> members = new ArrayList<>();
        for (Station other : stations.values()) {
            boolean inReach = other.answers() && carries(station, other) && carries(other, station);
            if (inReach || other.id().equals(station.id())) {
                members.add(other.id());
            }
        }
        return members;
    }
}
