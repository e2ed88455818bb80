package io.tallis.command.server;

import java.util.Locale;

/// The text of `INFO` while it is written: a heading a section, `name:value` a line.
public final class InfoFields {
    private static final String[] UNITS = {"B", "K", "M", "G", "T", "P"};

    private final StringBuilder text = new StringBuilder();

    InfoFields() {}

    void heading(String section) {
        if (!text.isEmpty()) {
            text.append("\r\n");
        }
        text.append("# ").append(Character.toUpperCase(section.charAt(0))).append(section, 1, section.length());
        text.append("\r\n");
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

    public InfoFields decimal(String name, double value, int digits) {
        return field(name, String.format(Locale.ROOT, "%." + digits + "f", value));
    }

    /// The field itself in bytes, and `name_human` in a unit that people can read.
    public InfoFields bytes(String name, long value) {
        return field(name, value).field(name + "_human", human(value));
    }

    private static String human(long bytes) {
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
