package io.tallis.command.server;

import java.util.Locale;

/// The text of `INFO` while it is written: a heading a section, `name:value` a line.
public final class InfoFields {
    private static final String[] UNITS = {"B", "K", "M", "G", "T", "P"};

    private final StringBuilder text = new StringBuilder();

    public InfoFields() {}

    void heading(String section) {
        if (!text.isEmpty()) {
            text.append("\r\n");
        }
        text.append("# ").append(title(section)).append("\r\n");
    }

    /// As Redis writes it.
    private static String title(String section) {
        return section.equals("cpu") ? "CPU" : Character.toUpperCase(section.charAt(0)) + section.substring(1);
    }

    /// Line breaks in a value become spaces.
    public InfoFields field(String name, String value) {
        text.append(name).append(':').append(value.replace('\r', ' ').replace('\n', ' '));
        text.append("\r\n");
        return this;
    }

    public InfoFields field(String name, long value) {
        return field(name, Long.toString(value));
    }

    /// Shown as 1 or 0.
    public InfoFields flag(String name, boolean value) {
        return field(name, value ? 1 : 0);
    }

    /// Fields that count what cannot happen here.
    public InfoFields never(String... names) {
        for (String name : names) {
            field(name, 0);
        }
        return this;
    }

    public InfoFields percent(String name, double value) {
        return field(name, String.format(Locale.ROOT, "%.2f%%", value));
    }

    public InfoFields decimal(String name, double value, int digits) {
        return field(name, String.format(Locale.ROOT, "%." + digits + "f", value));
    }

    /// The field itself in bytes, and `name_human` in a unit that people can read.
    public InfoFields bytes(String name, long value) {
        return field(name, value).field(name + "_human", human(value));
    }

    /// `bytes` in a unit that people can read.
    static String human(long bytes) {
        double amount = bytes;
        int unit = 0;
        while (amount >= 1024 && unit < UNITS.length - 1) {
            amount /= 1024;
            unit++;
        }
        return unit == 0 ? bytes + "B" : String.format(Locale.ROOT, "%.2f%s", amount, UNITS[unit]);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
