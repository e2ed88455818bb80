package io.tallis.cluster.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class StandingTest {
    private static final ClusterId CLUSTER = new ClusterId(1_764_000_000_000L, -5);

    @Test
    void text_ofAStanding_isReadAgain() {
        Standing complete = Standing.complete(CLUSTER);
        Standing incomplete = Standing.incomplete(CLUSTER);

        assertThat(Standing.parse(complete.toText())).isEqualTo(complete);
        assertThat(Standing.parse(incomplete.toText())).isEqualTo(incomplete);
    }

    /// A file that lost its content must not be taken for a directory that belongs to no cluster.
    @ParameterizedTest
    @ValueSource(strings = {"", "\n", "complete", "5 complete", "0000019c4f1a2b3c9d8e7f6a5b4c3d2e", "x"})
    void text_thatIsMalformed_isRefused(String text) {
        assertThatThrownBy(() -> Standing.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
