package io.tallis.server;

import io.tallis.command.CommandError;
import io.tallis.command.server.Configuration;
import io.tallis.config.Config;
import io.tallis.config.Settings;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/// The settings as `CONFIG` shows them.
final class LiveConfiguration implements Configuration {
    /// Longer numbers are refused as such.
    private static final Pattern WHOLE_NUMBER = Pattern.compile("[0-9]{1,18}");

    private final Config config;
    private final long mostClients;

    LiveConfiguration(Config config, long mostClients) {
        this.config = config;
        this.mostClients = mostClients;
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
        requireRoom(wanted.getOrDefault(Settings.MAXCLIENTS.name(), ""));
        try {
            config.set(wanted);
        } catch (Config.RefusedException refused) {
            throw new CommandError(text(refused));
        }
    }

    private void requireRoom(String maxClients) {
        if (WHOLE_NUMBER.matcher(maxClients).matches() && Long.parseLong(maxClients) > mostClients) {
            throw new CommandError("ERR CONFIG SET failed (possibly related to argument 'maxclients') - The operating"
                    + " system is not able to handle the specified number of clients, try with " + mostClients);
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
