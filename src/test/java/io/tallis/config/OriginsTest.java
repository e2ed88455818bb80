package io.tallis.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class OriginsTest {
    private final Origins type = new Origins();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://app.example.org",
                "https://app.example.org:8443",
                "http://localhost:3000",
                "http://127.0.0.1:8080",
                "http://[::1]:8080",
                "https://xn--bcher-kva.example",
                "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
                "capacitor://localhost",
                "http://a:443",
                "null",
                "*"
            })
    void whatABrowserSends_isAccepted(String origin) {
        assertThat(type.parse(origin)).containsExactly(origin);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://app.example.org/",
                "https://app.example.org/page",
                "https://app.example.org?a",
                "app.example.org",
                "app.example.org:8443",
                "//app.example.org",
                "https://",
                "https://*.example.org",
                "https://App.example.org",
                "HTTPS://app.example.org",
                "https://ann@app.example.org",
                "https://app.example.org:443",
                "http://app.example.org:80",
                "https://app.example.org:",
                "https://app.example.org:08443",
                "https://app.example.org:65536",
                "https://app.example.org,https://b.example.org",
                "https://bücher.example",
                "https://::1",
                "all"
            })
    void whatNoBrowserSends_isRefusedByName(String origin) {
        assertThatThrownBy(() -> type.parse("https://b.example.org " + origin))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("no browser sends '" + origin + "' as an origin; expected ");
    }

    @Test
    void blanks_separateOrigins() {
        assertThat(type.parse("  https://a  null ")).containsExactlyInAnyOrder("https://a", "null");
        assertThat(type.parse("")).isEmpty();
        assertThat(type.canonical(" https://a  null ")).isEqualTo("https://a null");
    }

    @Test
    void setting_isCheckedAtTheStartAndLater() {
        Config config = ConfigLoader.load(null, Map.of(), List.of());

        assertThatThrownBy(() -> config.set(Map.of("http-allow-origins", "https://a/b")))
                .isInstanceOf(Config.RefusedException.class)
                .hasMessageContaining("'https://a/b'");
        assertThatThrownBy(
                        () -> ConfigLoader.load(null, Map.of("TALLIS_HTTP_ALLOW_ORIGINS", "a.example.org"), List.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("'a.example.org'");
    }
}
