package io.tallis.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AddressesTest {
    private final Addresses some = new Addresses(0, 3);

    @Test
    void addresses_separatedByCommas_areParsed() {
        assertThat(some.parse("a:1, [::1]:7800"))
                .containsExactly(
                        InetSocketAddress.createUnresolved("a", 1), InetSocketAddress.createUnresolved("::1", 7800));
    }

    @Test
    void canonical_parsesToTheSame() {
        assertThat(some.canonical(" a:1 ,[::1]:7800")).isEqualTo("a:1,[::1]:7800");
    }

    @Test
    void emptyText_isAnEmptyList() {
        assertThat(some.parse("")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "a:", ":1", "a:x", "a:0", "a:65536", "::1:7800", "[]:1"})
    void malformedAddress_isRefused(String text) {
        assertThatThrownBy(() -> some.parse(text))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("host:port");
    }

    @Test
    void numberOfAddresses_outOfBounds_isRefused() {
        assertThatThrownBy(() -> some.parse("a:1,b:1,c:1,d:1")).hasMessageContaining("at most 3");
        assertThatThrownBy(() -> new Addresses(1, 1).parse("")).hasMessageContaining("one address");
    }
}
