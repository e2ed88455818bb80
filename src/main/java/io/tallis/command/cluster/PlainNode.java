package io.tallis.command.cluster;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// The cluster of a node without replication: that node alone.
public final class PlainNode implements Cluster {
    private static final Reach ALONE = new Reach(1, 1);

    private final Supplier<Node> self;

    /// `self` describes the node as it is now.
    public PlainNode(Supplier<Node> self) {
        this.self = self;
    }

    @Override
    public Standing standing() {
        Node node = self.get();
        return new Standing(node.session(), 0, node.state(), 100, Standing.NO_CLUSTER, Map.of(), Map.of(), List.of());
    }

    @Override
    public String ownUuid() {
        return self.get().uuid();
    }

    @Override
    public List<Node> nodes() {
        return List.of(self.get());
    }

    @Override
    public Reach reach() {
        return ALONE;
    }

    @Override
    public List<Happening> newest(int most) {
        return List.of();
    }

    @Override
    public void forget(String node, Consumer<Forgetting> answer) {
        Node own = self.get();
        boolean isOwn = node.equals(own.name()) || node.equalsIgnoreCase(own.uuid());
        answer.accept(isOwn ? Forgetting.PRESENT : Forgetting.UNKNOWN);
    }

    /// It folds at its start.
    @Override
    public void fold() {}

    /// It keeps no tombstones, or does not know any more whether other nodes have copies of what they stand for.
    @Override
    public void purge() {}

    @Override
    public boolean hold(Runnable done) {
        return false;
    }

    @Override
    public void ready(Runnable done) {
        done.run();
    }
}
