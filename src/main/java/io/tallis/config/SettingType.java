package io.tallis.config;

/// The type of a setting's value: parses its text and checks it.
public interface SettingType<T> {
    /// Parses a value; throws [ConfigException] that says what is expected.
    T parse(String text);

    /// The text that `CONFIG GET` shows. It parses to the same value.
    default String canonical(String text) {
        parse(text);
        return text;
    }

    /// The canonical text after `given` was set over `current`. For most types that is `given` alone.
    default String combine(String current, String given) {
        return canonical(given);
    }

    /// Whether a value may consist of several words.
    default boolean severalWords() {
        return false;
    }

    /// The placeholder of the value in `--help`, such as `yes|no`.
    String label();
}
