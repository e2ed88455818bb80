package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.config.ConfigLoader;
import io.tallis.config.Given;
import io.tallis.config.Values;
import io.tallis.runtime.Randomness;
import io.tallis.testing.Gen;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class NodeIdentityTest {
    private final Gen gen = new Gen(1);
    private final Randomness randomness = () -> gen.between(Long.MIN_VALUE, Long.MAX_VALUE);

    @Test
    void nodeWithoutDirectory_thatHasAName_isTheSameAtEachStart() {
        UUID first = uuid("name", "east", "cluster-name", "shop");

        assertThat(uuid("name", "east", "cluster-name", "shop")).isEqualTo(first);
        assertThat(uuid("name", "west", "cluster-name", "shop")).isNotEqualTo(first);
        assertThat(uuid("name", "east", "cluster-name", "other")).isNotEqualTo(first);
    }

    @Test
    void nodeWithoutDirectory_thatHasNoName_isAnotherAtEachStart() {
        assertThat(uuid("cluster-name", "shop")).isNotEqualTo(uuid("cluster-name", "shop"));
    }

    private UUID uuid(String... settings) {
        List<Given> given = Stream.iterate(0, i -> i < settings.length, i -> i + 2)
                .map(i -> new Given(settings[i], List.of(settings[i + 1]), "test"))
                .toList();
        Values values = ConfigLoader.load(null, Map.of(), given).values();
        return NodeIdentity.withoutDirectory(values, randomness);
    }
}
