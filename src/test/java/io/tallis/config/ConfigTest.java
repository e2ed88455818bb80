package io.tallis.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.runtime.Live;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ConfigTest {
    private final Config config = ConfigLoader.load(null, Map.of(), List.of());

    @Test
    void set_ofLiveSetting_updatesLiveViews() {
        Live<Integer> maxClients = config.live(values -> values.count(Settings.MAXCLIENTS));

        config.set(Map.of("maxclients", "5"));

        assertThat(maxClients.now()).isEqualTo(5);
        assertThat(config.texts()).containsEntry("maxclients", "5");
    }

    @Test
    void set_withOneBadValue_changesNothing() {
        Map<String, String> changes = new LinkedHashMap<>();
        changes.put("timeout", "5");
        changes.put("maxclients", "none");

        assertThatThrownBy(() -> config.set(changes))
                .isInstanceOf(Config.RefusedException.class)
                .hasMessage("argument couldn't be parsed into an integer");
        assertThat(config.texts()).containsEntry("timeout", "0");
    }

    @Test
    void set_ofFixedOrUnknownSetting_isRefused() {
        assertThatThrownBy(() -> config.set(Map.of("port", "1"))).hasMessage("can't set immutable config");
        assertThatThrownBy(() -> config.set(Map.of("prot", "1"))).hasMessage("no such setting");
    }

    @Test
    void set_toTheCurrentValue_isAllowed() {
        config.set(Map.of("port", "6379", "journal-segment-size", "64mb", "save", "", "appendonly", "YES"));

        assertThat(config.texts()).containsEntry("port", "6379").containsEntry("appendonly", "yes");
        assertThatThrownBy(() -> config.set(Map.of("port", "none"))).hasMessage("can't set immutable config");
        assertThatThrownBy(() -> config.set(Map.of("appendonly", "no")))
                .hasMessage("can't set immutable config; appendonly can only be 'yes' here, not 'no': "
                        + "use 'persistence' to keep counters on disk or not");
    }

    @Test
    void nearestName_isOnlySuggestedWhenNear() {
        assertThat(NearestName.of("loglvele")).isEqualTo("loglevel");
        assertThat(NearestName.of("requirepassword")).isEqualTo("requirepass");
        assertThat(NearestName.of("maxmemory-samples")).isNull();
        assertThat(NearestName.of("pidfile")).isNull();
        assertThat(NearestName.of("hz")).isNull();
    }

    @Test
    void texts_ofSizes_areBytes() {
        config.set(Map.of("maxmemory", "100mb"));

        assertThat(config.texts()).containsEntry("maxmemory", "104857600");
    }

    @Test
    void distance_countsInsertedRemovedReplacedAndSwappedLetters() {
        assertThat(NearestName.distance("port", "port")).isZero();
        assertThat(NearestName.distance("prot", "port")).isEqualTo(1);
        assertThat(NearestName.distance("part", "port")).isEqualTo(1);
        assertThat(NearestName.distance("", "port")).isEqualTo(4);
        assertThat(NearestName.distance("maxclient", "maxclients")).isEqualTo(1);
        assertThat(NearestName.distance("", "abc")).isEqualTo(3);
    }
}
