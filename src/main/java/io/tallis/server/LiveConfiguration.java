package io.tallis.server;

import io.tallis.command.CommandError;
import io.tallis.command.server.Configuration;
import io.tallis.config.Config;
import io.tallis.config.Settings;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/// The settings as `CONFIG` shows them.
final class LiveConfiguration implements Configuration {
    private final Config config;

    LiveConfiguration(Config config) {
        this.config = config;
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
        // What CONFIG GET says is no change, even if the operator said it in other words.
        wanted.remove(Settings.DIR.name(), absoluteDir());
        try {
            config.set(wanted);
        } catch (Config.RefusedException refused) {
            throw new CommandError(text(refused));
        }
    }

    private String absoluteDir() {
        return PartSettings.dir(config.values()).toString();
    }

    private static String text(Config.RefusedException refused) {
        if (refused.isUnknown()) {
            return "ERR Unknown option or number of arguments for CONFIG SET - '" + refused.setting() + "'";
        }
        return "ERR CONFIG SET failed (possibly related to argument '" + refused.setting() + "') - " + refused.reason();
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
