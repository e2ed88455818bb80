package io.tallis.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class EventLettersTest {
    private final EventLetters type = new EventLetters();

    /// As Redis 7.0.15 shows what it was given.
    @ParameterizedTest
    @CsvSource({"KEA, AKE", "Kx, xK", "Eg$, g$E", "'', ''", "KEg$lshzxetd, AKE", "A, A", "xxKK, xK"})
    void letters_areShownInRedissOrder(String given, String shown) {
        assertThat(type.canonical(given)).isEqualTo(shown);
    }

    @ParameterizedTest
    @ValueSource(strings = {"KEq", "K E", "k", "KEm", "KAn"})
    void otherLetters_areRefused(String given) {
        assertThatThrownBy(() -> type.parse(given)).isInstanceOf(ConfigException.class);
    }
}
