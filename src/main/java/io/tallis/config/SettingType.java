package io.tallis.config;

/// A kind of value: how its text is read and what is expected of it.
public interface SettingType<T> {
    /// Reads a value; throws [ConfigException] with what was expected.
    T parse(String text);

    /// How `CONFIG GET` shows the value. Reading it again gives the same value.
    default String canonical(String text) {
        parse(text);
        return text;
    }

    /// The canonical text of what holds when `given` is said after `current`; most kinds forget what was said
    /// before.
    default String combine(String current, String given) {
        return canonical(given);
    }

    /// Whether a value may be written as several words.
    default boolean severalWords() {
        return false;
    }

    /// What stands for the value in `--help`, such as `yes|no`.
    String label();
}
