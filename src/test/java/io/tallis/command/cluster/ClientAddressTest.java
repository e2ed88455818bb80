package io.tallis.command.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ClientAddressTest {
    @Test
    void hostAndPort_areParsed() {
        assertThat(ClientAddress.of("10.0.0.1:6379")).isEqualTo(new ClientAddress("10.0.0.1", 6379));
    }

    @Test
    void hostInBrackets_losesThem() {
        assertThat(ClientAddress.of("[fe80::1]:6380")).isEqualTo(new ClientAddress("fe80::1", 6380));
    }

    @Test
    void invalidPort_isZero() {
        assertThat(ClientAddress.of("host:x")).isEqualTo(new ClientAddress("host", 0));
        assertThat(ClientAddress.of("host:70000")).isEqualTo(new ClientAddress("host", 0));
        assertThat(ClientAddress.of("host:")).isEqualTo(new ClientAddress("host", 0));
    }

    @Test
    void text_withoutAPort_isAHost() {
        assertThat(ClientAddress.of("")).isEqualTo(new ClientAddress("", 0));
    }
}
