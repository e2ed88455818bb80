package io.tallis.config;

/// One thing that an operator can decide: its name, its kind of value, its default as one would write it, whether
/// it may change while the server runs, and one sentence that explains it.
public record Setting<T>(String name, SettingType<T> type, String defaultText, Change change, String doc) {

    /// When a new value takes effect.
    public enum Change {
        LIVE,
        AT_START
    }

    /// The option that sets it.
    public String option() {
        return "--" + name;
    }
}
