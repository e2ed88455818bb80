package io.tallis.command.server;

import java.util.Map;

/// The settings of the node as `CONFIG` accesses them.
public interface Configuration {
    /// Every setting with its value.
    Map<String, String> values();

    /// Changes all of these settings or none. Throws [io.tallis.command.CommandError] with the reason.
    void change(Map<String, String> changes);

    /// Writes the values to the configuration file. Throws [io.tallis.command.CommandError] with the reason of a
    /// failure.
    void rewrite();
}
