package io.tallis.config;

import java.util.List;

/// What an operator said about one setting, and where: `origin` is named in the error if it cannot be so.
public record Given(String name, List<String> words, String origin) {

    /// Whether it is about a setting of Redis of which only one value is true here.
    boolean isForeign() {
        return RedisSetting.named(name) != null;
    }

    /// Throws [ConfigException] if it is about such a setting and not true of these values.
    void requireTrueOf(Values values) {
        RedisSetting foreign = RedisSetting.named(name);
        if (foreign != null) {
            foreign.requireTrue(words, origin, values);
        }
    }

    Values applyTo(Values values) {
        Setting<?> setting = Settings.named(name);
        if (setting == null) {
            throw new ConfigException(Settings.unknown(name, origin));
        }
        if (words.isEmpty()) {
            throw new ConfigException(Settings.valueless(setting, origin));
        }
        String text = String.join(" ", words);
        if (words.size() > 1 && !setting.type().severalWords()) {
            throw new ConfigException(origin + ": " + name + " takes one value (<"
                    + setting.type().label() + ">), not '" + text + "'");
        }
        try {
            return values.with(setting, text);
        } catch (ConfigException bad) {
            throw new ConfigException(origin + ": " + name + " '" + text + "': " + bad.getMessage());
        }
    }
}
