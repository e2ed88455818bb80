package io.tallis.config;

/// A setting: its name, the type of its value, its default as an operator would write it, whether it can change while
/// the server runs, and a sentence of description.
public record Setting<T>(String name, SettingType<T> type, String defaultText, Change change, String doc) {

    /// When a new value takes effect.
    public enum Change {
        LIVE,
        AT_START
    }

    /// The command line option, such as `--port`.
    public String option() {
        return "--" + name;
    }
}
