package io.tallis.command.server;

import java.util.Map;

/// The settings of the node, as `CONFIG` sees them.
public interface Configuration {
    /// Every setting with its value.
    Map<String, String> values();

    /// Changes settings, all or none; throws [io.tallis.command.CommandError] with the reason.
    void change(Map<String, String> changes);

    /// Writes the values to the file that the server was started with; throws [io.tallis.command.CommandError] when
    /// that cannot be done.
    void rewrite();
}
