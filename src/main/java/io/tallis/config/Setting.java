package io.tallis.config;

import java.util.Locale;

/// One thing that an operator can decide: its name, its kind of value, its default as one would write it, whether
/// it may change while the server runs, and one sentence that explains it.
public record Setting<T>(String name, SettingType<T> type, String defaultText, Change change, String doc) {

    /// When a new value takes effect.
    public enum Change {
        LIVE,
        AT_START
    }

    /// The environment variable that sets it.
    public String variable() {
        return ConfigLoader.VARIABLE_PREFIX + name.replace('-', '_').toUpperCase(Locale.ROOT);
    }

    /// The option that sets it.
    public String option() {
        return "--" + name;
    }
}
