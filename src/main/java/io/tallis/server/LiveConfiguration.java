package io.tallis.server;

import io.tallis.command.CommandError;
import io.tallis.command.server.Configuration;
import io.tallis.config.Config;
import io.tallis.config.ConfigException;
import io.tallis.config.Settings;
import io.tallis.resp.socket.Tls;
import io.tallis.resp.socket.TlsSettings;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The settings behind `CONFIG GET`, `CONFIG SET` and `CONFIG REWRITE`.
final class LiveConfiguration implements Configuration {
    private final Config config;
    private final long mostClients;
    private final @Nullable Tls tls;
    private final UserSettings users;

    /// `tls` is null if no port is for TLS.
    LiveConfiguration(Config config, UserSettings users, long mostClients, @Nullable Tls tls) {
        this.config = config;
        this.users = users;
        this.mostClients = mostClients;
        this.tls = tls;
    }

    @Override
    public Map<String, String> values() {
        Map<String, String> values = new LinkedHashMap<>(config.texts());
        values.put(Settings.DIR.name(), absoluteDir());
        return values;
    }

    @Override
    public void change(Map<String, String> changes) {
        Map<String, String> wanted = new LinkedHashMap<>(changes);
        // Setting the value that CONFIG GET replies is no change, even if the operator gave a relative path.
        wanted.remove(Settings.DIR.name(), absoluteDir());
        String maxClients = wanted.get(Settings.MAXCLIENTS.name());
        if (maxClients != null) {
            requireDescriptors(maxClients);
        }
        try {
            requireUsable(PartSettings.tls(config.with(wanted)), wanted.keySet());
            users.set(wanted);
        } catch (Config.RefusedException refused) {
            throw new CommandError(text(refused));
        }
        if (wanted.containsKey(Settings.MAXMEMORY.name())) {
            MemoryBound.warnAbout(config.values());
        }
        if (tls != null) {
            tls.refresh();
        }
    }

    private void requireUsable(TlsSettings next, Set<String> changed) {
        if (next.equals(PartSettings.tls(config.values()))) {
            return;
        }
        String setting = changed.stream()
                .filter(name -> name.startsWith("tls-"))
                .findFirst()
                .orElse("");
        if (tls == null) {
            throw refused(setting, "neither tls-port nor http-tls-port is set");
        }
        try {
            Tls.check(next);
        } catch (IOException unusable) {
            throw refused(setting, String.valueOf(unusable.getMessage()));
        }
    }

    private void requireDescriptors(String maxClients) {
        long wanted;
        try {
            wanted = Settings.MAXCLIENTS.type().parse(maxClients);
        } catch (ConfigException _) {
            // Config.set refuses it, with the error of the first wrong setting.
            return;
        }
        if (wanted > mostClients) {
            throw refused(
                    "maxclients",
                    "The operating system is not able to handle the specified number of clients, try with "
                            + mostClients);
        }
    }

    private String absoluteDir() {
        return PartSettings.dir(config.values()).toString();
    }

    private static String text(Config.RefusedException refused) {
        if (refused.isUnknown()) {
            return "ERR Unknown option or number of arguments for CONFIG SET - '" + refused.setting() + "'";
        }
        return text(refused.setting(), refused.reason());
    }

    private static CommandError refused(String setting, String reason) {
        return new CommandError(text(setting, reason));
    }

    private static String text(String setting, String reason) {
        return "ERR CONFIG SET failed (possibly related to argument '" + setting + "') - " + reason;
    }

    @Override
    public void rewrite() {
        if (config.file() == null) {
            throw new CommandError("ERR The server is running without a config file");
        }
        try {
            config.rewrite(users.linesOfConfiguration());
        } catch (IOException | ConfigException failed) {
            throw new CommandError("ERR Rewriting config file: " + failed.getMessage());
        }
    }
}
