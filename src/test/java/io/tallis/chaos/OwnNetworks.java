package io.tallis.chaos;

import io.tallis.chaos.Options.Stack;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// A network namespace for each node, joined by a bridge. [Chaos] runs this process in namespaces of its own; each ends
/// with the process that holds it.
///
///     node k:  out0     10.77.0.k ── bridge `hub` of this process's own namespace, for the other nodes
///              clients0 10.78.k.2 ── 10.78.k.1 there, for clients, never cut
///
/// A direction is cut at its end, in the namespace of the receiving node: the look-up of the route fails, for a unicast
/// packet that from its sender, for a multicast that back to its sender. That needs no packet filter in the kernel.
/// Hardware addresses of neighbours are fixed, so that the other direction goes on for as long as the cut lasts.
///
/// Packets are lost at random in a classic BPF filter at the receiving `out0`, and delayed by `netem` at the sending
/// one. Clients' packets are neither. A kernel may lack either.
final class OwnNetworks implements Network {
    private static final int PORT = 7800;

    private final Options.Cluster cluster;
    private final List<String> secrecy;
    private final List<Process> keepers = new ArrayList<>();

    OwnNetworks(Options options) throws IOException {
        int nodes = options.nodes();
        cluster = options.cluster();
        secrecy = Network.secrecy(cluster.encrypted(), options.dir());
        Shell.run("sh", "-ec", "ip link set lo up; ip link add hub type bridge mcast_snooping 0; ip link set hub up");
        for (int node = 0; node < nodes; node++) {
            Process keeper = new ProcessBuilder("unshare", "-n", "sh", "-c", "echo made && exec cat").start();
            keepers.add(keeper);
            keeper.getInputStream().readNBytes("made\n".length());
            join(node, nodes);
            if (cluster.isImpaired()) {
                impair(node);
            }
        }
    }

    private void join(int node, int nodes) {
        StringBuilder inside = new StringBuilder(
                        "ip link set lo up; ip link set out0 address " + hardware(node) + " up; ")
                .append("ip addr add " + address(node) + "/24 dev out0; ip route add 224.0.0.0/4 dev out0; ")
                .append("ip addr add " + clientSide(node) + "/24 dev clients0; ip link set clients0 up; ")
                .append("echo 1 >/proc/sys/net/ipv4/conf/out0/rp_filter; ")
                .append("ip rule add pref 100 lookup local; ip rule del pref 0; ");
        for (int other = 0; other < nodes; other++) {
            if (other != node) {
                inside.append("ip neigh replace " + address(other) + " lladdr " + hardware(other)
                        + " dev out0 nud permanent; ");
            }
        }
        String port = "port" + node;
        String clients = "clients" + node;
        Shell.run(
                "sh",
                "-ec",
                "ip link add " + port + " type veth peer name out0 netns " + pid(node) + "; ip link set " + port
                        + " master hub up; ip link add " + clients + " type veth peer name clients0 netns " + pid(node)
                        + "; ip addr add 10.78." + (node + 1) + ".1/24 dev " + clients + "; ip link set " + clients
                        + " up; nsenter -t " + pid(node) + " -n sh -ec '" + inside + "'");
    }

    private void impair(int node) {
        Shell.run("nsenter", "-t", pid(node), "-n", "sh", "-ec", impairment(cluster));
    }

    /// The command that makes `out0` lose and delay packets.
    static String impairment(Options.Cluster cluster) {
        StringBuilder commands = new StringBuilder("true; ");
        if (cluster.lossPercent() > 0) {
            commands.append("tc qdisc add dev out0 clsact; tc filter add dev out0 ingress bpf da bytecode \"")
                    .append(lossFilter(cluster.lossPercent()))
                    .append("\"; ");
        }
        if (cluster.delayMillis() > 0) {
            commands.append("tc qdisc add dev out0 root netem delay " + cluster.delayMillis() + "ms");
        }
        return commands.toString();
    }

    /// A program that loads a random number of 32 bits, drops the packet if it is below the limit, and else passes it
    /// on.
    private static String lossFilter(int percent) {
        long limit = (1L << Integer.SIZE) * percent / 100;
        return "4,32 0 0 4294963256,53 1 0 " + limit + ",6 0 0 2,6 0 0 4294967295,";
    }

    private String pid(int node) {
        return Long.toString(keepers.get(node).pid());
    }

    private static String address(int node) {
        return "10.77.0." + (node + 1);
    }

    private static String clientSide(int node) {
        return "10.78." + (node + 1) + ".2";
    }

    private static String hardware(int node) {
        return "02:00:00:00:00:0" + (node + 1);
    }

    @Override
    public Place place(int node) {
        List<String> settings = new ArrayList<>(secrecy);
        settings.addAll(List.of("--protected-mode", "no", "--cluster-bind", address(node)));
        settings.addAll(List.of("--cluster-port", Integer.toString(PORT)));
        if (cluster.stack() == Stack.TCP) {
            String seeds = address(0) + ":" + PORT + "," + address(1) + ":" + PORT;
            settings.addAll(List.of("--cluster-stack", "tcp", "--cluster-seeds", seeds));
        }
        return new Place(clientSide(node), List.of("nsenter", "-t", pid(node), "-n"), settings);
    }

    @Override
    public boolean canCut() {
        return true;
    }

    @Override
    public void cut(Way way) {
        rules("add", way);
    }

    @Override
    public void restore(Way way) {
        rules("del", way);
    }

    private void rules(String change, Way way) {
        String from = address(way.from());
        Shell.run(
                "nsenter",
                "-t",
                pid(way.to()),
                "-n",
                "sh",
                "-ec",
                "ip rule " + change + " pref 2 from " + from + " iif out0 blackhole; " + "ip rule " + change
                        + " pref 2 from 0.0.0.0/32 to " + from + " iif lo blackhole");
    }

    @Override
    public void close() {
        keepers.forEach(Process::destroyForcibly);
    }
}
