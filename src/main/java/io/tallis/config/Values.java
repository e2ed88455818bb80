package io.tallis.config;

import java.util.LinkedHashMap;
import java.util.Map;

/// A value for every setting. Immutable; every value has been checked.
public final class Values {
    private final Map<String, String> texts;

    private Values(Map<String, String> texts) {
        this.texts = texts;
    }

    static Values defaults() {
        Map<String, String> texts = new LinkedHashMap<>();
        for (Setting<?> setting : Settings.all()) {
            texts.put(setting.name(), setting.type().canonical(setting.defaultText()));
        }
        return new Values(texts);
    }

    /// These values with one setting changed; throws [ConfigException] if the text is not valid for it.
    Values with(Setting<?> setting, String text) {
        Map<String, String> changed = new LinkedHashMap<>(texts);
        changed.put(setting.name(), setting.type().combine(text(setting), text));
        return new Values(changed);
    }

    public <T> T get(Setting<T> setting) {
        return setting.type().parse(text(setting));
    }

    /// A number whose type bounds it to the range of an int.
    public int count(Setting<Long> setting) {
        return Math.toIntExact(get(setting));
    }

    /// The value as `CONFIG GET` shows it.
    public String text(Setting<?> setting) {
        String text = texts.get(setting.name());
        if (text == null) {
            throw new IllegalArgumentException("not in Settings: " + setting.name());
        }
        return text;
    }

    public boolean isDefault(Setting<?> setting) {
        return text(setting).equals(setting.type().canonical(setting.defaultText()));
    }
}
