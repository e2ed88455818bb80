package io.tallis.config;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.runtime.Live;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The settings of a running server: their values now, and the live ones' changes.
///
/// Any thread may read. A change of several settings is made as a whole or not at all.
public final class Config {
    private final @Nullable Path file;

    @GuardedBy("this")
    private final List<Consumer<Values>> listeners = new ArrayList<>();

    private final Object rewriting = new Object();
    private volatile Values values;

    Config(Values values, @Nullable Path file) {
        this.values = values;
        this.file = file;
    }

    public Values values() {
        return values;
    }

    public @Nullable Path file() {
        return file;
    }

    /// What a part needs of the settings, made anew whenever one of them changes.
    public synchronized <T> Live<T> live(Function<Values, T> part) {
        var view = new View<>(part, part.apply(values));
        listeners.add(view);
        return view;
    }

    /// Has `listener` told of the values now and whenever one of them has changed.
    public synchronized void onChange(Consumer<Values> listener) {
        listener.accept(values);
        listeners.add(listener);
    }

    /// All settings and their values, in the order of the catalogue, behind them what clients of Redis ask for.
    public Map<String, String> texts() {
        Values now = values;
        Map<String, String> texts = new LinkedHashMap<>();
        Settings.all().forEach(setting -> texts.put(setting.name(), now.text(setting)));
        for (RedisSetting setting : RedisSetting.values()) {
            texts.put(setting.settingName(), setting.text(now));
        }
        return texts;
    }

    /// Changes live settings, all of them or none; throws [RefusedException] with the first that cannot be. Any may
    /// be set to what it is.
    public synchronized void set(Map<String, String> changes) {
        Values next = values;
        for (Map.Entry<String, String> change : changes.entrySet()) {
            next = changed(next, change.getKey(), change.getValue());
        }
        values = next;
        listeners.forEach(listener -> listener.accept(values));
    }

    private static Values changed(Values before, String name, String text) {
        Setting<?> setting = Settings.named(name);
        if (setting == null) {
            requireForeign(before, name, text);
            return before;
        }
        boolean fixed = setting.change() == Setting.Change.AT_START;
        try {
            Values after = before.with(setting, text);
            if (fixed && !after.text(setting).equals(before.text(setting))) {
                throw new RefusedException(name, RefusedException.IMMUTABLE);
            }
            return after;
        } catch (ConfigException bad) {
            throw new RefusedException(name, fixed ? RefusedException.IMMUTABLE : String.valueOf(bad.getMessage()));
        }
    }

    private static void requireForeign(Values values, String name, String text) {
        RedisSetting foreign = RedisSetting.named(name);
        if (foreign == null) {
            throw new RefusedException(name, RefusedException.UNKNOWN);
        }
        if (!foreign.isTrue(text, values)) {
            throw new RefusedException(
                    name, RefusedException.IMMUTABLE + "; " + name + " " + foreign.refusal(text, values));
        }
    }

    /// Writes the values back to the file that they came from. Nobody who asks for values waits for the disk.
    public void rewrite() throws IOException {
        if (file == null) {
            throw new IOException("the server was started without a file of settings");
        }
        synchronized (rewriting) {
            ConfigFile.rewrite(file, values);
        }
    }

    /// A setting cannot be changed so.
    public static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1;
        private static final String UNKNOWN = "no such setting";
        private static final String IMMUTABLE = "can't set immutable config";

        private final String setting;

        RefusedException(String setting, String reason) {
            super(reason, null, false, false);
            this.setting = setting;
        }

        public String setting() {
            return setting;
        }

        public String reason() {
            return String.valueOf(getMessage());
        }

        public boolean isUnknown() {
            return UNKNOWN.equals(getMessage());
        }
    }

    private static final class View<T> implements Live<T>, Consumer<Values> {
        private final Function<Values, T> part;
        private volatile T now;

        View(Function<Values, T> part, T now) {
            this.part = part;
            this.now = now;
        }

        @Override
        public void accept(Values values) {
            now = part.apply(values);
        }

        @Override
        public T now() {
            return now;
        }
    }
}
