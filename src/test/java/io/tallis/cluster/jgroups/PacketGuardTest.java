package io.tallis.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.jgroups.PacketCipher.Kind;
import io.tallis.runtime.Randomness;
import io.tallis.testing.FakeClock;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PacketGuardTest {
    private final FakeClock clock = new FakeClock();
    private final List<String> events = new ArrayList<>();
    private final PacketGuard guard = guard("ours", true);

    @Test
    void packetOfTheCluster_isOpenedAndNotCounted() throws Exception {
        byte[] packet = guard("ours", true).seal(Kind.MESSAGE, new byte[] {7}, 0, 1);

        assertThat(guard.open(Kind.MESSAGE, host(1), packet, 0, packet.length)).containsExactly(7);
        assertThat(guard.packetsRefused()).isZero();
        assertThat(events).isEmpty();
    }

    @Test
    void packetsOfStrangers_areCounted_andEachSenderIsNamedOnce() throws Exception {
        for (int i = 0; i < 3; i++) {
            send(guard, 1);
            send(guard, 2);
        }

        assertThat(guard.packetsRefused()).isEqualTo(6);
        assertThat(events)
                .containsExactly(
                        "refuses packets from 10.0.0.1: they are not of a node with this cluster-name and this"
                                + " cluster-key-file",
                        "refuses packets from 10.0.0.2: they are not of a node with this cluster-name and this"
                                + " cluster-key-file");
    }

    @Test
    void sender_isNamedAgainAfterAWhile() throws Exception {
        send(guard, 1);
        clock.advance(PacketGuard.NAMED_AGAIN_AFTER);
        send(guard, 1);

        assertThat(events).hasSize(2);
    }

    /// The address of a datagram can be forged.
    @Test
    void senders_beyondABound_areOnlyCounted() throws Exception {
        for (int i = 0; i < 2 * PacketGuard.MOST_NAMED; i++) {
            send(guard, i);
        }

        assertThat(events).hasSize(PacketGuard.MOST_NAMED);
        assertThat(guard.packetsRefused()).isEqualTo(2 * PacketGuard.MOST_NAMED);
    }

    @Test
    void nodeThatHangsUp_againAndAgain_isCountedAndNamedOnce() throws Exception {
        for (int i = 1; i < PacketGuard.HANG_UPS_NAMED; i++) {
            guard.onHangUp(host(1));
        }
        long before = guard.packetsRefused();

        guard.onHangUp(host(1));
        guard.onHangUp(host(1));

        assertThat(before).isZero();
        assertThat(guard.packetsRefused()).isEqualTo(2);
        assertThat(events).singleElement().asString().startsWith("is refused by 10.0.0.1, ");
    }

    @Test
    void nodeWithoutAKey_saysThatTheSenderMayHaveOne() throws Exception {
        send(guard("ours", false), 1);

        assertThat(events)
                .singleElement()
                .asString()
                .contains("not of a node with this cluster-name and no cluster-key-file");
    }

    @Test
    void refusal_isToldForAMinute_andItsAddressForEver() throws Exception {
        assertThat(guard.recentRefusal()).isEmpty();
        assertThat(guard.lastRefused()).isEmpty();

        send(guard, 1);

        assertThat(guard.recentRefusal()).startsWith("refuses packets from 10.0.0.1: ");
        clock.advance(PacketGuard.RECENT);
        assertThat(guard.recentRefusal()).isEmpty();
        assertThat(guard.lastRefused()).isEqualTo("10.0.0.1");
    }

    private void send(PacketGuard to, int host) throws Exception {
        byte[] packet = guard("theirs", true).seal(Kind.MESSAGE, new byte[9], 0, 9);

        assertThat(to.open(Kind.MESSAGE, host(host), packet, 0, packet.length)).isNull();
    }

    private static InetAddress host(int last) throws UnknownHostException {
        return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
    }

    private PacketGuard guard(String cluster, boolean hasKey) {
        var cipher = new PacketCipher(cluster, List.of(), Randomness.secure());
        return new PacketGuard(cipher, hasKey, clock, events::add);
    }
}
