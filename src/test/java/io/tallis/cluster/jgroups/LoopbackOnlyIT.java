package io.tallis.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A node that is bound to the loopback address sends nothing that leaves the machine and listens on nothing else.
///
/// Seen in a network of the test's own where the system lets it make one, with an interface that everything not meant
/// for the machine itself would leave by. Elsewhere only the groups that were joined can be told apart from what others
/// do.
final class LoopbackOnlyIT {
    private static final String OWN_NETWORK = """
            ip link set lo up && ip link add out0 type veth peer name out1 &&
            echo 1 > /proc/sys/net/ipv6/conf/out0/disable_ipv6 && echo 1 > /proc/sys/net/ipv6/conf/out1/disable_ipv6 &&
            ip addr add 10.9.9.1/24 dev out0 && ip link set out1 up && ip link set out0 up &&
            ip route add default via 10.9.9.2 dev out0 && echo alone && exec "$@"
            """;

    /// 127.x.x.x, the multicast addresses 239.77.x.x, both in the kernel's order of bytes, or the loopback of IPv6.
    private static final String ADDRESS_OF_THIS_MACHINE =
            "socket (0{16}FFFF0000)?([0-9A-F]{6}7F|[0-9A-F]{4}4DEF):.*|socket 0{31}1:.*";

    @ParameterizedTest
    @ValueSource(strings = {"udp", "tcp"})
    void nodes_boundToTheLoopbackAddress_stayOnTheMachine(String stack) throws Exception {
        List<String> told = probe(stack);

        assertThat(told).filteredOn(line -> line.startsWith("joined ")).allMatch(line -> line.startsWith("joined lo "));
        if (told.contains("alone")) {
            assertThat(told).contains("sent out0 0", "sent out1 0");
            assertThat(told)
                    .filteredOn(line -> line.startsWith("socket "))
                    .isNotEmpty()
                    .allMatch(line -> line.matches(ADDRESS_OF_THIS_MACHINE));
        }
    }

    private static List<String> probe(String stack) throws IOException, InterruptedException {
        List<String> java = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                NetworkProbe.class.getName(),
                stack);
        List<String> alone =
                run(Stream.concat(Stream.of("unshare", "-rn", "sh", "-c", OWN_NETWORK, "sh"), java.stream())
                        .toList());
        return alone.contains("alone") ? alone : run(java);
    }

    private static List<String> run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = process.waitFor();
        List<String> lines = output.lines().toList();
        assertThat(code == 0 || !lines.contains("alone")).as(output).isTrue();
        return lines;
    }
}
