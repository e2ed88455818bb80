package io.tallis.cluster.jgroups;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.cluster.jgroups.PacketCipher.Kind;
import io.tallis.runtime.Randomness;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class PacketCipherTest {
    private static final byte[] OLD = key(1);
    private static final byte[] NEW = key(2);
    private static final byte[] TEXT = "eight to five".getBytes(UTF_8);

    @Test
    void packet_ofANodeWithTheSameKey_isOpened() {
        byte[] packet = seal(cipher(OLD));

        assertThat(open(cipher(OLD), packet)).isEqualTo(TEXT);
        assertThat(packet).hasSize(TEXT.length + PacketCipher.OVERHEAD);
    }

    @Test
    void packet_inTheMiddleOfABuffer_isOpened() {
        byte[] packet = seal(cipher(OLD));
        byte[] buffer = new byte[packet.length + 7];
        System.arraycopy(packet, 0, buffer, 3, packet.length);

        assertThat(cipher(OLD).open(Kind.MESSAGE, buffer, 3, packet.length)).isEqualTo(TEXT);
    }

    @Test
    void packet_ofANodeWithAnotherKey_isRefusedByBoth() {
        assertThat(open(cipher(OLD), seal(cipher(NEW)))).isNull();
        assertThat(open(cipher(NEW), seal(cipher(OLD)))).isNull();
    }

    /// Each step of a rotation, node by node: no pair of nodes may lose sight of each other.
    @Test
    void keys_areChangedInThreeStepsWithoutABreak() {
        List<List<byte[]>> steps = List.of(List.of(OLD), List.of(OLD, NEW), List.of(NEW, OLD), List.of(NEW));
        for (int step = 1; step < steps.size(); step++) {
            PacketCipher before = cipher(steps.get(step - 1).toArray(byte[][]::new));
            PacketCipher after = cipher(steps.get(step).toArray(byte[][]::new));

            assertThat(open(after, seal(before))).isEqualTo(TEXT);
            assertThat(open(before, seal(after))).isEqualTo(TEXT);
        }
    }

    @Test
    void keyOfAName_isAnotherForEachName() {
        PacketCipher shop = new PacketCipher("shop", List.of(), Randomness.secure());
        PacketCipher shed = new PacketCipher("shed", List.of(), Randomness.secure());
        PacketCipher shopAgain = new PacketCipher("shop", List.of(), Randomness.secure());

        assertThat(open(shopAgain, seal(shop))).isEqualTo(TEXT);
        assertThat(open(shed, seal(shop))).isNull();
    }

    /// Else the counters of two clusters that were given the same file would be added.
    @Test
    void packet_ofANodeWithAnotherClusterName_isRefusedDespiteTheSameKey() {
        PacketCipher shed = new PacketCipher("shed", List.of(OLD), Randomness.secure());

        assertThat(open(cipher(OLD), seal(shed))).isNull();
        assertThat(open(shed, seal(cipher(OLD)))).isNull();
    }

    @Test
    void packet_ofAnotherKind_isRefused() {
        PacketCipher sender = cipher(OLD);
        byte[] hello = sender.seal(Kind.HELLO, TEXT, 0, TEXT.length);
        byte[] message = seal(sender);

        assertThat(open(cipher(OLD), hello)).isNull();
        hello[0] = message[0];
        assertThat(open(cipher(OLD), hello)).isNull();
    }

    @Test
    void packet_withAnyBitChanged_isRefused() {
        byte[] packet = seal(cipher(OLD));
        PacketCipher receiver = cipher(OLD);
        assertThat(open(receiver, packet)).isNotNull();

        for (int bit = 0; bit < packet.length * Byte.SIZE; bit++) {
            packet[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            assertThat(open(receiver, packet)).as("bit %d", bit).isNull();
            packet[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
        }
    }

    @Test
    void packet_cutAtAnyPlace_isRefused() {
        byte[] packet = seal(cipher(OLD));

        for (int length = 0; length < packet.length; length++) {
            assertThat(open(cipher(OLD), Arrays.copyOf(packet, length))).isNull();
        }
    }

    /// A nonce that is used twice under one key gives both texts away.
    @Test
    void packets_neverShareSaltAndNumber() {
        Set<List<Byte>> heads = new HashSet<>();
        for (PacketCipher sender : List.of(cipher(OLD), cipher(OLD))) {
            for (int i = 0; i < 1000; i++) {
                List<Byte> head = new ArrayList<>();
                for (byte octet : Arrays.copyOf(seal(sender), 25)) {
                    head.add(octet);
                }
                assertThat(heads.add(head)).isTrue();
            }
        }
    }

    @Test
    void packet_thatIsRefused_leavesNothingInMemory() {
        PacketCipher receiver = cipher(OLD);

        for (int i = 0; i < 10; i++) {
            open(receiver, seal(cipher(NEW)));
        }
        assertThat(receiver.sessions()).isZero();
    }

    @Test
    void sessions_areBounded_andAnEvictedOneIsOpenedAgain() {
        PacketCipher receiver = cipher(OLD);
        List<byte[]> packets = new ArrayList<>();
        for (int i = 0; i < PacketCipher.MOST_SESSIONS + 50; i++) {
            packets.add(seal(cipher(OLD)));
        }

        for (int round = 0; round < 2; round++) {
            packets.forEach(packet -> assertThat(open(receiver, packet)).isNotNull());
        }
        assertThat(receiver.sessions()).isEqualTo(PacketCipher.MOST_SESSIONS);
    }

    private static PacketCipher cipher(byte[]... keys) {
        return new PacketCipher("shop", List.of(keys), Randomness.secure());
    }

    private static byte[] seal(PacketCipher sender) {
        return sender.seal(Kind.MESSAGE, TEXT, 0, TEXT.length);
    }

    private static byte @Nullable [] open(PacketCipher receiver, byte[] packet) {
        return receiver.open(Kind.MESSAGE, packet, 0, packet.length);
    }

    private static byte[] key(int content) {
        byte[] key = new byte[32];
        Arrays.fill(key, (byte) content);
        return key;
    }
}
