package io.tallis.transcript;

import io.tallis.command.cluster.Cluster;
import io.tallis.command.cluster.PlainNode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/// A cluster of one node, or with two others: one that serves, and one that is joining and lags. A third is absent.
final class FakeCluster implements Cluster {
    private static final Node HERE = new Node(
            "here",
            "00000000-0000-4000-8000-000000000001",
            "127.0.0.1:6379",
            "http://127.0.0.1:8379",
            "",
            "ready",
            1,
            0,
            3,
            "00000000000000010000000000000001");
    private static final Peer NORTH = new Peer(
            "north",
            "00000000000000020000000000000002",
            "10.0.0.2:6379",
            "ready",
            true,
            70,
            new Lag(0, 0),
            new Exchange(1000, 2000, 150, -30),
            new Vitals("0.1.0", 3600, 70_000),
            Agreement.YES);
    private static final Peer SOUTH = new Peer(
            "so,u=th",
            "00000000000000030000000000000003",
            "[fe80::1]:6380",
            "pulling",
            false,
            60,
            new Lag(10, 250),
            new Exchange(10, 20, 2500, 0),
            new Vitals("0.1.0", 5, 0),
            Agreement.NOT_COMPARED);

    private Cluster now = new PlainNode(() -> HERE);

    void hasOthers() {
        now = new Others();
    }

    @Override
    public Standing standing() {
        return now.standing();
    }

    @Override
    public String ownUuid() {
        return HERE.uuid();
    }

    @Override
    public List<Node> nodes() {
        return now.nodes();
    }

    @Override
    public Reach reach() {
        return now.reach();
    }

    @Override
    public List<Happening> newest(int most) {
        return now.newest(most);
    }

    @Override
    public void forget(String who, Consumer<Forgetting> answer) {
        now.forget(who, answer);
    }

    @Override
    public void fold() {
        now.fold();
    }

    @Override
    public void purge() {
        now.purge();
    }

    @Override
    public boolean hold(Runnable done) {
        return now.hold(done);
    }

    @Override
    public void ready(Runnable done) {
        now.ready(done);
    }

    private static final class Others implements Cluster {
        @Override
        public Standing standing() {
            return new Standing(
                    HERE.session(),
                    70,
                    "ready",
                    100,
                    "0000019c4f1a2b3c9d8e7f6a5b4c3d2e",
                    Map.of("pulls", 2L),
                    new TreeMap<>(Map.of(
                            "fold_waits_for",
                            "nodes that are unreachable or do not serve; SYSTEM FORGET those that never will: east (for 3600 s)",
                            "purge_waits_for",
                            "")),
                    List.of(NORTH, SOUTH));
        }

        @Override
        public String ownUuid() {
            return HERE.uuid();
        }

        @Override
        public List<Node> nodes() {
            return List.of(HERE, unreachable());
        }

        @Override
        public Reach reach() {
            return new Reach(2, 4);
        }

        private static Node unreachable() {
            return new Node(
                    "east",
                    "00000000-0000-4000-8000-000000000004",
                    "10.0.0.4:6379",
                    "",
                    "",
                    Node.UNREACHABLE,
                    0,
                    3600,
                    1,
                    "00000000000000040000000000000004");
        }

        @Override
        public List<Happening> newest(int most) {
            List<Happening> all = List.of(
                    new Happening(1_700_000_000_000L, "here", HERE.session(), "is ready after 0.1 s"),
                    new Happening(1_700_000_001_000L, "north", NORTH.session(), "reaches here"));
            return all.subList(Math.max(0, all.size() - most), all.size());
        }

        @Override
        public boolean hold(Runnable done) {
            done.run();
            return true;
        }

        @Override
        public void fold() {}

        @Override
        public void purge() {}

        @Override
        public void forget(String who, Consumer<Forgetting> answer) {
            answer.accept(
                    switch (who) {
                        case "east" -> Forgetting.DONE;
                        case "north", "here" -> Forgetting.PRESENT;
                        default -> Forgetting.UNKNOWN;
                    });
        }

        @Override
        public void ready(Runnable done) {
            done.run();
        }
    }
}
