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

/// The settings of a running server: the current values, and changes of the live ones.
///
/// Any thread may read. A change of several settings is atomic.
public final class Config {
    private final @Nullable Path file;

    @GuardedBy("this")
    private final List<Consumer<Values>> listeners = new ArrayList<>();

    private final List<Given> users;

    private final Object rewriting = new Object();
    private volatile Values values;

    Config(Values values, @Nullable Path file, List<Given> users) {
        this.values = values;
        this.file = file;
        this.users = List.copyOf(users);
    }

    /// The lines `user` of the configuration file. The words after `user` are the name and the rules.
    public List<Given> users() {
        return users;
    }

    public Values values() {
        return values;
    }

    public @Nullable Path file() {
        return file;
    }

    /// The settings of one component as a record of its own, which is derived again after each change.
    public synchronized <T> Live<T> live(Function<Values, T> derive) {
        var view = new View<>(derive, derive.apply(values));
        listeners.add(view);
        return view;
    }

    /// Calls `listener` with the current values, and again after each change, on the thread that makes it.
    public synchronized void onChange(Consumer<Values> listener) {
        listener.accept(values);
        listeners.add(listener);
    }

    /// All settings and their values as `CONFIG GET` shows them: the catalogue's in its order, then those of Redis.
    public Map<String, String> texts() {
        Values now = values;
        Map<String, String> texts = new LinkedHashMap<>();
        Settings.all().forEach(setting -> texts.put(setting.name(), now.text(setting)));
        for (RedisSetting setting : RedisSetting.values()) {
            texts.put(setting.settingName(), setting.text(now));
        }
        return texts;
    }

    /// Changes live settings, all or none; throws [RefusedException] with the first that cannot change. Setting any
    /// setting to its current value is allowed.
    public synchronized void set(Map<String, String> changes) {
        values = with(changes);
        listeners.forEach(listener -> listener.accept(values));
    }

    /// Has all derived settings derived again, because something else that they depend on has changed.
    public synchronized void refresh() {
        listeners.forEach(listener -> listener.accept(values));
    }

    /// The values that [#set] would make of these changes.
    public Values with(Map<String, String> changes) {
        Values next = values;
        for (Map.Entry<String, String> change : changes.entrySet()) {
            next = changed(next, change.getKey(), change.getValue());
        }
        return next;
    }

    private static Values changed(Values before, String name, String text) {
        Setting<?> setting = Settings.named(name);
        if (setting == null) {
            requireTrueRedisSetting(before, name, text);
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

    private static void requireTrueRedisSetting(Values values, String name, String text) {
        RedisSetting setting = RedisSetting.named(name);
        if (setting == null) {
            throw new RefusedException(name, RefusedException.UNKNOWN);
        }
        if (!setting.isTrue(text, values)) {
            throw new RefusedException(
                    name, RefusedException.IMMUTABLE + "; " + name + " " + setting.refusal(text, values));
        }
    }

    /// Writes the values to the configuration file of the start, with `userLines` in place of its lines `user`. Has a
    /// lock of its own, so that readers and `CONFIG SET` do not wait for the disk.
    public void rewrite(List<String> userLines) throws IOException {
        if (file == null) {
            throw new IOException("the server was started without a configuration file");
        }
        synchronized (rewriting) {
            ConfigFile.rewrite(file, values, userLines);
        }
    }

    /// A change was refused. `CONFIG SET` shows the reason to the client.
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
        private final Function<Values, T> derive;
        private volatile T now;

        View(Function<Values, T> derive, T now) {
            this.derive = derive;
            this.now = now;
        }

        @Override
        public void accept(Values values) {
            now = derive.apply(values);
        }

        @Override
        public T now() {
            return now;
        }
    }
}
