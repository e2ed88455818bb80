package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tallis.config.Config;
import io.tallis.config.ConfigLoader;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class DescriptorLimitTest {
    private final Config config = ConfigLoader.load(null, Map.of(), List.of());

    @Test
    void limit_isTheOneInForce() {
        String limits = """
                Limit                     Soft Limit           Hard Limit           Units
                Max processes             95962                95962                processes
                Max open files            1024                 1048576              files
                Max locked memory         8388608              8388608              bytes
                """;

        assertThat(DescriptorLimit.in(limits).files()).isEqualTo(1024);
    }

    @Test
    void limit_thatCannotBeTold_isNone() {
        DescriptorLimit.in("").applyTo(config);

        assertThat(maxClients()).isEqualTo(10_000);
    }

    @Test
    void maxclients_aboveTheLimit_isLowered() {
        new DescriptorLimit(1024).applyTo(config);

        assertThat(maxClients()).isEqualTo(1024 - DescriptorLimit.KEPT);
    }

    @Test
    void maxclients_thatFits_stays() {
        new DescriptorLimit(10_000 + DescriptorLimit.KEPT).applyTo(config);

        assertThat(maxClients()).isEqualTo(10_000);
    }

    @Test
    void limit_withoutDescriptorsForClients_isRefused() {
        assertThatThrownBy(() -> new DescriptorLimit(DescriptorLimit.KEPT).applyTo(config))
                .isInstanceOf(StartException.class)
                .hasMessage("the limit of open files is 256; the server needs 256 and one for each client:"
                        + " raise the limit (ulimit -n, LimitNOFILE)");
    }

    private int maxClients() {
        return PartSettings.limits(config.values(), false).maxClients();
    }
}
