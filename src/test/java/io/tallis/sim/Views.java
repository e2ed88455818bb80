package io.tallis.sim;

import io.tallis.crdt.ReplicaId;
import io.tallis.testing.Gen;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/// The views of all sessions. Each session notices a change by itself, some time later, so that views differ for a
/// while.
final class Views {
    private record Viewer(List<ReplicaId> view, Consumer<List<ReplicaId>> told) {}

    private final EventQueue events;
    private final Gen gen;
    private final Network network;
    private final Map<ReplicaId, Viewer> viewers = new HashMap<>();

    Views(EventQueue events, Gen gen, Network network) {
        this.events = events;
        this.gen = gen;
        this.network = network;
    }

    boolean sees(ReplicaId from, ReplicaId to) {
        Viewer viewer = viewers.get(from);
        return viewer != null && viewer.view.contains(to);
    }

    List<ReplicaId> of(ReplicaId id) {
        Viewer viewer = viewers.get(id);
        return viewer == null ? List.of() : viewer.view;
    }

    /// A session joins the network; `told` is called with its views. Its first view may have only itself.
    void begin(Network.Station station, Consumer<List<ReplicaId>> told) {
        viewers.put(station.id(), new Viewer(List.of(), told));
        if (gen.chance(30)) {
            events.in(gen.between(0, 20_000_000), () -> show(station.id(), List.of(station.id())));
            events.in(gen.between(100_000_000, 1_000_000_000), () -> look(station));
        } else {
            events.in(gen.between(0, 30_000_000), () -> look(station));
        }
        changed(200_000_000);
    }

    void end(ReplicaId id) {
        viewers.remove(id);
        changed(400_000_000);
    }

    /// Reachability changed: each session notices within `nanos`.
    void changed(long nanos) {
        for (Network.Station station : network.stations()) {
            events.in(gen.between(nanos / 10, nanos), () -> look(station));
        }
    }

    /// A session removes another from its view for a while without a reason.
    void blink(ReplicaId id, ReplicaId other) {
        List<ReplicaId> without =
                of(id).stream().filter(member -> !member.equals(other)).toList();
        if (!without.isEmpty()) {
            show(id, without);
        }
        changed(500_000_000);
    }

    private void look(Network.Station station) {
        if (network.has(station.id()) && station.answers()) {
            show(station.id(), network.inReachOf(station));
        }
    }

    private void show(ReplicaId id, List<ReplicaId> members) {
        Viewer viewer = viewers.get(id);
        if (viewer == null || viewer.view.equals(members)) {
            return;
        }
        viewers.put(id, new Viewer(List.copyOf(members), viewer.told));
        viewer.view.stream()
                .filter(member -> !members.contains(member))
                .forEach(departed -> network.giveUp(id, departed));
        viewer.told.accept(members);
    }
}
