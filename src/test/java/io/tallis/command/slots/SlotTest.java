package io.tallis.command.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SlotTest {
    @Test
    void crc16_ofTheCheckDigits_isTheCheckValue() {
        byte[] digits = bytes("123456789");

        assertThat(Slot.crc16(digits, 0, digits.length)).isEqualTo(0x31C3);
    }

    /// As `CLUSTER KEYSLOT` of Redis 7.0 replies.
    @ParameterizedTest
    @CsvSource({
        "123456789, 12739",
        "foo, 12182",
        "somekey, 11058",
        "x, 16287",
        "{user1000}.following, 3443",
        "foo{}{bar}, 8363",
        "foo{{bar}}zap, 4015",
        "foo{bar}{zap}, 5061",
        "}a{b}, 3300",
        "a{b, 13340"
    })
    void slot_ofAKey_isThatOfRedis(String key, int slot) {
        byte[] around = bytes("{x}" + key + "{y}");

        assertThat(Slot.of(bytes(key))).isEqualTo(slot);
        assertThat(Slot.of(around, 3, key.length())).isEqualTo(slot);
    }

    @Test
    void slot_ofBytesThatAreNoText_isInRange() {
        byte[] key = {(byte) 0xFF, 0, (byte) 0x80, (byte) 0xC3};

        assertThat(Slot.of(key)).isBetween(0, Slot.COUNT - 1);
        assertThat(Slot.of(new byte[0])).isZero();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
