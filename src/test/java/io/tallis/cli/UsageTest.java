package io.tallis.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.config.Setting;
import io.tallis.config.Settings;
import org.junit.jupiter.api.Test;

final class UsageTest {
    @Test
    void text_namesEverySettingWithItsDefault() {
        String usage = Usage.text();

        assertThat(Settings.all())
                .extracting(Setting::option)
                .allSatisfy(option -> assertThat(usage).contains("\n  " + option + " "));
        assertThat(usage).contains("--port <n>  [6379]").contains("--protected-mode yes|no  [yes]");
    }

    @Test
    void text_fitsATerminalOf80Columns() {
        assertThat(Usage.text().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(Usage.COLUMNS));
    }
}
