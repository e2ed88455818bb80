package io.tallis.config;

import java.util.List;

/// One setting as an operator gave it: its name, its value as words, and where it stands (`origin`, for errors).
public record Given(String name, List<String> words, String origin) {

    private static final String USER = "user";

    /// Whether this is no setting, but a line of the configuration file that defines a user for access control.
    boolean definesUser() {
        return name.equals(USER);
    }

    /// As [#definesUser], for a line as it stands in the file.
    static boolean definesUser(List<String> words) {
        return !words.isEmpty() && words.getFirst().equalsIgnoreCase(USER);
    }

    boolean isRedisSetting() {
        return RedisSetting.named(name) != null;
    }

    /// Throws [ConfigException] if this is a setting of Redis with a value that is not true beside these values.
    void requireTrueIfRedisSetting(Values values) {
        RedisSetting setting = RedisSetting.named(name);
        if (setting != null) {
            setting.requireTrue(words, origin, values);
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
