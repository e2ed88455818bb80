package io.tallis.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/// Formats log lines as Redis does: `4711:M 09 Nov 2026 13:36:00.123 * Ready to accept connections`.
///
/// The character before the message is the level: `.` debug, `-` verbose, `*` notice, `#` warning. A stack trace
/// follows on lines of its own.
final class LogFormat extends Formatter {
    private static final String[] MONTHS = {
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
    };

    private final String prefix;

    LogFormat(long pid) {
        prefix = pid + ":M ";
    }

    @Override
    public String format(LogRecord event) {
        var line = new StringBuilder(prefix);
        appendTime(line, event.getInstant());
        line.append(' ').append(sign(event.getLevel())).append(' ').append(formatMessage(event));
        line.append(System.lineSeparator());
        Throwable thrown = event.getThrown();
        if (thrown != null) {
            var trace = new StringWriter();
            thrown.printStackTrace(new PrintWriter(trace));
            line.append(trace);
        }
        return line.toString();
    }

    private static char sign(Level level) {
        if (level.intValue() >= Level.WARNING.intValue()) {
            return '#';
        }
        if (level.intValue() >= Level.INFO.intValue()) {
            return '*';
        }
        return level.intValue() >= Level.FINE.intValue() ? '-' : '.';
    }

    /// Formatted by hand: `DateTimeFormatter` delays the first line of a start by 20 ms.
    private static void appendTime(StringBuilder line, Instant instant) {
        LocalDateTime time = LocalDateTime.ofInstant(instant, ZoneId.systemDefault());
        append(line, time.getDayOfMonth(), 2).append(' ');
        line.append(MONTHS[time.getMonthValue() - 1]).append(' ').append(time.getYear());
        append(line.append(' '), time.getHour(), 2);
        append(line.append(':'), time.getMinute(), 2);
        append(line.append(':'), time.getSecond(), 2);
        append(line.append('.'), time.getNano() / 1_000_000, 3);
    }

    private static StringBuilder append(StringBuilder line, int number, int digits) {
        String text = Integer.toString(number);
        return line.append("0".repeat(Math.max(0, digits - text.length()))).append(text);
    }
}
