package io.tallis.command.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LocalGuardTest {
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:5000", "127.9.9.9:1", "[::1]:5000"})
    void loopbackAddress_isLocal(String address) {
        assertThat(LocalGuard.isLocal(address)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.1:5000",
                "12.7.0.1:5000",
                "12.0.0.1:127",
                "126.0.0.1:5000",
                "128.0.0.1:5000",
                "1.127.0.1:5000",
                "[2001:db8::1]:5000",
                "[::12]:5000",
                "[0:0:0:0:0:0:0:1234]:5000"
            })
    void otherAddress_isNot(String address) {
        assertThat(LocalGuard.isLocal(address)).isFalse();
    }
}
