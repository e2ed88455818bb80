package io.tallis.command.server;

import io.tallis.command.Client;
import io.tallis.command.CommandError;

/// The permission for a command whose setting is `yes`, `no` or `local`.
final class LocalGuard {
    private LocalGuard() {}

    /// Throws [CommandError] when the client may not use the command.
    static void check(String allowed, String command, String setting, Client client) {
        if (allowed.equals("yes")
                || (allowed.equals("local") && isLocal(client.link().remoteAddress()))) {
            return;
        }
        throw new CommandError("ERR " + command + " command not allowed. If the " + setting
                + " option is set to \"local\", you can run it from a local connection, otherwise you need to set"
                + " this option in the configuration file, and then restart the server.");
    }

    /// Whether the address, which is numeric, is a loopback address.
    static boolean isLocal(String address) {
        return address.startsWith("127.") || address.startsWith("[::1]");
    }
}
