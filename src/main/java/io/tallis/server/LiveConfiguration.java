package io.tallis.server;

import io.tallis.command.CommandError;
import io.tallis.command.server.Configuration;
import io.tallis.config.Config;
import io.tallis.config.Settings;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/// The settings as `CONFIG` shows them, with answers to what clients of Redis ask and we have no setting for.
final class LiveConfiguration implements Configuration {
    private final Config config;

    LiveConfiguration(Config config) {
        this.config = config;
    }

    @Override
    public Map<String, String> values() {
        Map<String, String> values = new LinkedHashMap<>(config.texts());
        values.put("appendonly", values.getOrDefault(Settings.PERSISTENCE.name(), "no"));
        values.put("save", "");
        values.put("replica-read-only", "yes");
        values.put("slave-read-only", "yes");
        values.put("maxmemory-policy", "noeviction");
        values.put("cluster-enabled", "no");
        values.put("daemonize", "no");
        values.put("notify-keyspace-events", "");
        return values;
    }

    @Override
    public void change(Map<String, String> changes) {
        try {
            config.set(changes);
        } catch (Config.RefusedException refused) {
            throw new CommandError(text(refused));
        }
    }

    private String text(Config.RefusedException refused) {
        if (refused.isUnknown() && !values().containsKey(refused.setting())) {
            return "ERR Unknown option or number of arguments for CONFIG SET - '" + refused.setting() + "'";
        }
        String reason = refused.isUnknown() ? "can't set immutable config" : refused.reason();
        return "ERR CONFIG SET failed (possibly related to argument '" + refused.setting() + "') - " + reason;
    }

    @Override
    public void rewrite() {
        if (config.file() == null) {
            throw new CommandError("ERR The server is running without a config file");
        }
        try {
            config.rewrite();
        } catch (IOException failed) {
            throw new CommandError("ERR Rewriting config file: " + failed.getMessage());
        }
    }
}
