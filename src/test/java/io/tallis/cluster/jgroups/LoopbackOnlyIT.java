package io.tallis.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A node bound to the loopback address sends nothing that leaves the machine and listens nowhere else.
///
/// Everywhere the sockets of the process are checked, and where it joined its multicast group. Packets are counted in a
/// network namespace of the test's own, with an interface that all traffic to other machines would take. A system that
/// refuses to make one has to say so; then the sockets are the proof.
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

    /// How a system refuses to make a network namespace for this user, or lacks a command for it.
    private static final String REFUSAL = ".*(not permitted|denied|not found|not supported|No space left).*";

    @ParameterizedTest
    @ValueSource(strings = {"udp", "tcp"})
    void nodes_boundToTheLoopbackAddress_listenOnNothingElse(String stack) throws Exception {
        assertListensOnThisMachineOnly(Child.run(probe(stack)).requireSuccess(), stack);
    }

    @ParameterizedTest
    @ValueSource(strings = {"udp", "tcp"})
    void nodes_boundToTheLoopbackAddress_sendNothingThatLeavesTheMachine(String stack) throws Exception {
        Child alone = Child.run(inANetworkOfItsOwn(probe(stack)));

        if (alone.lines().contains("alone")) {
            List<String> told = alone.requireSuccess();
            assertThat(told).contains("sent out0 0", "sent out1 0");
            assertListensOnThisMachineOnly(told, stack);
        } else {
            assertThat(alone.lines()).last().asString().matches(REFUSAL);
            assertListensOnThisMachineOnly(Child.run(probe(stack)).requireSuccess(), stack);
        }
    }

    private static void assertListensOnThisMachineOnly(List<String> told, String stack) {
        assertThat(told)
                .filteredOn(line -> line.startsWith("socket "))
                .isNotEmpty()
                .allMatch(line -> line.matches(ADDRESS_OF_THIS_MACHINE));
        assertThat(told)
                .filteredOn(line -> line.startsWith("joined "))
                .isEqualTo(stack.equals("udp") ? List.of("joined lo") : List.of());
    }

    private static List<String> probe(String stack) {
        return Child.java(NetworkProbe.class, List.of(), stack);
    }

    /// Through a shell, so that a missing command is in the output too.
    private static List<String> inANetworkOfItsOwn(List<String> command) {
        return Stream.concat(
                        Stream.of("sh", "-c", "exec unshare -rn sh -c \"$@\"", "sh", OWN_NETWORK, "sh"),
                        command.stream())
                .toList();
    }
}
