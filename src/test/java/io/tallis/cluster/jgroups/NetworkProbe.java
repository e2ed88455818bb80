package io.tallis.cluster.jgroups;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.tallis.testing.ClusterPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A process with two nodes that find each other and exchange frames. It then prints how many packets left by each
/// interface but the loopback, where its multicast group was joined, and what its sockets are bound to.
public final class NetworkProbe {
    private static final Path NET = Path.of("/proc/net");
    private static final String SOCKET = "socket:[";
    private static final int FRAMES = 200;

    private NetworkProbe() {}

    public static void main(String... stack) throws IOException {
        TestNode.Network network = TestNode.Network.fresh();
        boolean tcp = stack[0].equals("tcp");
        int[] ports = ClusterPorts.free(2);
        int port = ports[0];
        int otherPort = ports[1];
        try (var one = new TestNode(tcp ? network.tcp(port, port, otherPort) : network.udp());
                var other = new TestNode(tcp ? network.tcp(otherPort, port) : network.udp())) {
            TestNode.awaitOneView(one, other);
            for (int i = 0; i < FRAMES; i++) {
                one.transport.multicast("all".getBytes(UTF_8));
                one.transport.send(other.id, "one".getBytes(UTF_8));
            }
            other.awaitFrames(FRAMES);
            packetsSent().forEach(System.out::println);
            joined(network.multicast().getHostString()).forEach(System.out::println);
            sockets().forEach(System.out::println);
        }
        System.exit(0);
    }

    /// `sent INTERFACE PACKETS`: the tenth number behind the name.
    private static List<String> packetsSent() throws IOException {
        return Files.readAllLines(NET.resolve("dev")).stream()
                .filter(line -> line.contains(":") && !line.strip().startsWith("lo:"))
                .map(line -> {
                    String[] parts = line.strip().split(":\\s*", -1);
                    return "sent " + parts[0] + " " + parts[1].split("\\s+", -1)[9];
                })
                .toList();
    }

    /// `joined INTERFACE`, for each interface on which the group was joined.
    private static List<String> joined(String group) throws IOException {
        byte[] address = InetAddress.getByName(group).getAddress();
        String inKernel =
                "%08X".formatted(Integer.reverseBytes(ByteBuffer.wrap(address).getInt()));
        String device = "";
        Stream.Builder<String> joined = Stream.builder();
        for (String line : Files.readAllLines(NET.resolve("igmp"))) {
            String[] words = line.strip().split("\\s+", -1);
            if (!line.startsWith("\t")) {
                device = words[1];
            } else if (words[0].equals(inKernel)) {
                joined.add("joined " + device);
            }
        }
        return joined.build().toList();
    }

    /// `socket ADDRESS`, as the kernel writes it. The tenth word of a line is the inode, by which the sockets of this
    /// process are recognised.
    private static List<String> sockets() throws IOException {
        Set<String> own = ownInodes();
        Stream.Builder<String> sockets = Stream.builder();
        for (String kind : List.of("tcp", "tcp6", "udp", "udp6")) {
            Files.readAllLines(NET.resolve(kind)).stream()
                    .skip(1)
                    .map(line -> line.strip().split("\\s+", -1))
                    .filter(words -> own.contains(words[9]))
                    .forEach(words -> sockets.add("socket " + words[1]));
        }
        return sockets.build().toList();
    }

    private static Set<String> ownInodes() throws IOException {
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors
                    .map(NetworkProbe::target)
                    .filter(target -> target.startsWith(SOCKET))
                    .map(target -> target.substring(SOCKET.length(), target.length() - 1))
                    .collect(Collectors.toSet());
        }
    }

    /// Empty for a descriptor that is closed meanwhile.
    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException closed) {
            return "";
        }
    }
}
