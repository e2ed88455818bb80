package io.tallis.chaos;

import io.tallis.chaos.Options.Stack;
import io.tallis.testing.ClusterPorts;
import io.tallis.testing.MulticastGroup;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// The loopback interface. Nodes can be killed there, but the network between them cannot be cut or impaired.
final class Loopback implements Network {
    private final Stack stack;
    private final int[] ports;
    private final String multicast;
    private final List<String> secrecy;

    Loopback(Options options) throws IOException {
        stack = options.cluster().stack();
        secrecy = Network.secrecy(options.cluster().encrypted(), options.dir());
        ports = ClusterPorts.free(options.nodes());
        multicast = MulticastGroup.fresh().setting();
    }

    @Override
    public Place place(int node) {
        List<String> settings = new ArrayList<>(secrecy);
        settings.addAll(settings(node));
        return new Place("127.0.0.1", List.of(), settings);
    }

    private List<String> settings(int node) {
        String seeds = "127.0.0.1:" + ports[0] + ",127.0.0.1:" + ports[1];
        return switch (stack) {
            case UDP -> List.of("--cluster-port", "0", "--cluster-multicast", multicast);
            case TCP ->
                List.of(
                        "--cluster-stack",
                        "tcp",
                        "--cluster-port",
                        Integer.toString(ports[node]),
                        "--cluster-seeds",
                        seeds);
        };
    }

    @Override
    public boolean canCut() {
        return false;
    }

    @Override
    public void cut(Way way) {
        throw new UnsupportedOperationException("the loopback interface cannot be cut");
    }

    @Override
    public void restore(Way way) {
        throw new UnsupportedOperationException("the loopback interface cannot be cut");
    }

    @Override
    public void close() {}
}
