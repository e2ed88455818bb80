package io.tallis.config;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/// The types of values that settings have; larger ones are classes of their own.
final class SettingTypes {
    private static final Pattern DIGITS = Pattern.compile("-?[0-9]+");
    private static final List<String> UNITS = List.of("k", "kb", "m", "mb", "g", "gb", "b");
    private static final long[] UNIT_BYTES = {1000, 1 << 10, 1_000_000, 1 << 20, 1_000_000_000, 1 << 30, 1};

    private SettingTypes() {}

    /// Any text, also an empty one; a single word, so one with blanks is quoted.
    record Text(String label) implements SettingType<String> {
        @Override
        public String parse(String text) {
            return text;
        }
    }

    /// Any text but an empty or blank one.
    record NonBlank(String label) implements SettingType<String> {
        @Override
        public String parse(String text) {
            if (text.isBlank()) {
                throw new ConfigException("argument must name a " + label);
            }
            return text;
        }
    }

    record YesNo() implements SettingType<Boolean> {
        @Override
        public Boolean parse(String text) {
            return switch (text.toLowerCase(Locale.ROOT)) {
                case "yes" -> true;
                case "no" -> false;
                default -> throw new ConfigException("argument must be 'yes' or 'no'");
            };
        }

        @Override
        public String canonical(String text) {
            return parse(text) ? "yes" : "no";
        }

        @Override
        public String label() {
            return "yes|no";
        }
    }

    /// One of a few words.
    record OneOf(List<String> words) implements SettingType<String> {
        OneOf(String... words) {
            this(List.of(words));
        }

        @Override
        public String parse(String text) {
            String word = text.toLowerCase(Locale.ROOT);
            if (!words.contains(word)) {
                throw new ConfigException("argument(s) must be one of the following: " + String.join(", ", words));
            }
            return word;
        }

        @Override
        public String canonical(String text) {
            return parse(text);
        }

        @Override
        public String label() {
            return String.join("|", words);
        }
    }

    /// A whole number within bounds.
    record Whole(long min, long max) implements SettingType<Long> {
        @Override
        public Long parse(String text) {
            return within(min, max, parseLong(text, "argument couldn't be parsed into an integer"));
        }

        @Override
        public String canonical(String text) {
            return parse(text).toString();
        }

        @Override
        public String label() {
            return "n";
        }
    }

    /// A number of bytes within bounds, with Redis's units `b`, `k`, `kb`, `m`, `mb`, `g` and `gb`.
    record Bytes(long min, long max) implements SettingType<Long> {
        @Override
        public Long parse(String text) {
            return within(min, max, parseBytes(text, "argument must be a memory value"));
        }

        @Override
        public String canonical(String text) {
            return parse(text).toString();
        }

        @Override
        public String label() {
            return "bytes";
        }
    }

    /// One or more words.
    record Words(String label) implements SettingType<List<String>> {
        @Override
        public List<String> parse(String text) {
            if (text.isBlank()) {
                throw new ConfigException("argument must name at least one " + label);
            }
            return List.of(text.strip().split("\\s+"));
        }

        @Override
        public String canonical(String text) {
            return String.join(" ", parse(text));
        }

        @Override
        public boolean severalWords() {
            return true;
        }
    }

    static long parseBytes(String text, String expected) {
        String lower = text.toLowerCase(Locale.ROOT);
        int digits = 0;
        while (digits < lower.length() && Character.isDigit(lower.charAt(digits))) {
            digits++;
        }
        int unit = digits == lower.length() ? UNITS.size() - 1 : UNITS.indexOf(lower.substring(digits));
        if (unit < 0) {
            throw new ConfigException(expected);
        }
        long amount = parseLong(lower.substring(0, digits), expected);
        if (Math.multiplyHigh(amount, UNIT_BYTES[unit]) != 0 || amount * UNIT_BYTES[unit] < 0) {
            throw new ConfigException(expected);
        }
        return amount * UNIT_BYTES[unit];
    }

    /// Stricter than `Long.parseLong`, which accepts a plus sign and digits of other scripts.
    static long parseLong(String text, String expected) {
        if (!DIGITS.matcher(text).matches()) {
            throw new ConfigException(expected);
        }
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException _) {
            throw new ConfigException(expected);
        }
    }

    private static long within(long min, long max, long value) {
        if (value < min || value > max) {
            throw new ConfigException("argument must be between " + min + " and " + max + " inclusive");
        }
        return value;
    }
}
