package io.tallis.server;

import io.tallis.acl.AccessControl;
import io.tallis.acl.AccessControl.Line;
import io.tallis.acl.AclFile;
import io.tallis.config.Config;
import io.tallis.config.Given;
import io.tallis.config.Settings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Users as the settings define them: `requirepass`, `aclfile`, and the lines `user` of the configuration file.
///
/// `requirepass` is the password of the user `default`. When `ACL` takes that password away from the user, the setting
/// becomes empty, so that it is never one with which no client is let in.
final class UserSettings {
    private final Config config;
    private final AccessControl access;
    private final @Nullable AclFile file;

    /// Throws [StartException] if a line is not valid.
    UserSettings(Config config, AccessControl access) {
        this.config = config;
        this.access = access;
        String path = config.values().get(Settings.ACLFILE);
        file = path.isEmpty() ? null : new AclFile(access, Path.of(path).toAbsolutePath());
        access.defaultPassword(config.values().get(Settings.REQUIREPASS));
        define();
        changed();
        access.afterChange(this::changed);
    }

    private void define() {
        if (file != null && !config.users().isEmpty()) {
            throw new StartException("there are both an aclfile and lines with user in the configuration file, of which"
                    + " the first is " + config.users().getFirst().origin() + ": define users in one of them");
        }
        List<String> mistakes = List.of();
        if (file != null) {
            mistakes = load(file);
        } else if (!config.users().isEmpty()) {
            mistakes = access.define(configured(), null);
        }
        if (!mistakes.isEmpty()) {
            throw new StartException("users are not valid: " + String.join(" ", mistakes));
        }
    }

    private static List<String> load(AclFile file) {
        try {
            return file.load(null);
        } catch (IOException unreadable) {
            throw new StartException("cannot read the aclfile " + file + " (" + unreadable + "); make an empty one if"
                    + " there are no users yet");
        }
    }

    private List<Line> configured() {
        List<Line> lines = new ArrayList<>();
        for (Given given : config.users()) {
            String text = "user " + String.join(" ", given.words());
            lines.add(new Line(given.origin(), bytes(text)));
        }
        return lines;
    }

    private static String bytes(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /// The file of users, or null.
    @Nullable
    AclFile file() {
        return file;
    }

    /// Looks whether the file of users has changed. May block.
    void refresh() {
        if (file != null) {
            file.refresh();
        }
    }

    /// Changes settings, all or none, and with `requirepass` the password of the default user.
    void set(Map<String, String> changes) {
        // The lock of the settings, so that nobody sees the new password in one of the two places only.
        synchronized (config) {
            config.set(changes);
            String password = changes.get(Settings.REQUIREPASS.name());
            if (password != null) {
                access.defaultPassword(password);
            }
        }
    }

    private void changed() {
        synchronized (config) {
            String password = config.values().get(Settings.REQUIREPASS);
            if (!password.isEmpty() && !access.isDefaultPassword(password)) {
                config.set(Map.of(Settings.REQUIREPASS.name(), ""));
            } else {
                config.refresh();
            }
        }
    }

    /// The lines `user` for the configuration file: none if users are in a file of their own, or if there is only the
    /// default user with `requirepass`.
    List<String> linesOfConfiguration() {
        if (file() != null || access.areAsAtStart()) {
            return List.of();
        }
        return access.lines().stream().map(UserSettings::text).toList();
    }

    private static String text(String bytes) {
        return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }
}
