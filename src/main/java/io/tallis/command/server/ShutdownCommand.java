package io.tallis.command.server;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.Link;
import io.tallis.command.Reply;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/// `SHUTDOWN [NOSAVE|SAVE] [NOW] [FORCE] [ABORT]`: stops the node. The reply is the end of the connection.
///
/// Acknowledged changes are kept with any option: `SAVE` and `NOSAVE` are about Redis's snapshots, there is no wait
/// that `NOW` could skip, and nothing that `ABORT` could stop. A node that has lost its files stops only with `FORCE`,
/// because its counters would be lost with the process.
public final class ShutdownCommand implements Command, CommandFamily {
    /// Stops the process, which closes all clients.
    @FunctionalInterface
    public interface Lifecycle {
        /// Begins to stop and returns at once. `atTheEnd` runs on some thread when everything is on disk.
        void stop(Runnable atTheEnd);
    }

    private final Lifecycle lifecycle;
    private final BooleanSupplier hasLostFiles;
    private final Consumer<String> log;

    /// `hasLostFiles` tells whether the counters would be lost with the process. `log` receives, for operators, what is
    /// done and which client asked for it.
    public ShutdownCommand(Lifecycle lifecycle, BooleanSupplier hasLostFiles, Consumer<String> log) {
        this.lifecycle = lifecycle;
        this.hasLostFiles = hasLostFiles;
        this.log = log;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("shutdown", this);
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        boolean noSave = false;
        boolean save = false;
        for (int word = 1; word < arguments.count(); word++) {
            noSave |= arguments.is(word, "NOSAVE");
            save |= arguments.is(word, "SAVE");
            check(arguments, word);
        }
        if (noSave && save) {
            throw CommandError.syntax();
        }
        requireFiles(arguments, client);
        log.accept("stops: SHUTDOWN from " + client.link().remoteAddress());
        // The connection ends last, because scripts that wait for its end move the files next.
        Link.Suspension suspension = client.suspend();
        lifecycle.stop(() -> {
            suspension.resume(_ -> {});
            client.link().closeAfterReplies();
        });
    }

    private void requireFiles(Arguments arguments, Client client) {
        if (hasLostFiles.getAsBoolean() && !isForced(arguments)) {
            log.accept("refuses SHUTDOWN from " + client.link().remoteAddress()
                    + ": files that the next start needs are missing, and changes are refused until they are written"
                    + " again; SHUTDOWN FORCE stops it anyway");
            throw new CommandError("ERR Errors trying to SHUTDOWN. Check logs.");
        }
    }

    private static boolean isForced(Arguments arguments) {
        for (int word = 1; word < arguments.count(); word++) {
            if (arguments.is(word, "FORCE")) {
                return true;
            }
        }
        return false;
    }

    private static void check(Arguments arguments, int word) {
        if (arguments.is(word, "ABORT")) {
            throw arguments.count() == 2 ? new CommandError("ERR No shutdown in progress.") : CommandError.syntax();
        }
        boolean known = arguments.is(word, "NOSAVE")
                || arguments.is(word, "SAVE")
                || arguments.is(word, "NOW")
                || arguments.is(word, "FORCE");
        if (!known) {
            throw CommandError.syntax();
        }
    }
}
