package io.tallis.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

final class LogFormatTest {
    private final LogFormat format = new LogFormat(4711);

    @Test
    void line_hasProcessTimeLevelAndMessage() {
        String line = format.format(new LogRecord(Level.INFO, "Ready to accept connections"));

        assertThat(line)
                .matches("4711:M \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d\\.\\d{3} "
                        + "\\* Ready to accept connections\\R");
    }

    @Test
    void line_ofWarning_hasTheTraceBehindIt() {
        LogRecord event = new LogRecord(Level.WARNING, "oh");
        event.setThrown(new IllegalStateException("bad"));

        assertThat(format.format(event)).contains(" # oh").contains("java.lang.IllegalStateException: bad\n\tat ");
    }
}
