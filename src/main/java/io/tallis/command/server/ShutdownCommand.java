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

/// `SHUTDOWN [NOSAVE|SAVE] [NOW] [FORCE] [ABORT]`: stops the node. There is no answer but the end of the
/// connection.
///
/// What was acknowledged is kept whatever is said: `SAVE` and `NOSAVE` are about Redis's copies, and nothing is
/// waited for that `NOW` could skip, or `ABORT` could stop. Without `FORCE` a node goes on that has lost its files: it
/// would take its counters with it.
public final class ShutdownCommand implements Command, CommandFamily {
    private final Lifecycle lifecycle;
    private final BooleanSupplier hasLostFiles;
    private final Consumer<String> told;

    /// `hasLostFiles` says whether the node has lost its files, and its counters if it ended. `told` hears, for
    /// operators, what is done and who wants it.
    public ShutdownCommand(Lifecycle lifecycle, BooleanSupplier hasLostFiles, Consumer<String> told) {
        this.lifecycle = lifecycle;
        this.hasLostFiles = hasLostFiles;
        this.told = told;
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
        told.accept("stops: SHUTDOWN from " + client.link().remoteAddress());
        // Whoever waits for the end of the connection may touch the files then.
        Link.Suspension suspension = client.suspend();
        lifecycle.stop(() -> {
            suspension.resume(_ -> {});
            client.link().closeAfterReplies();
        });
    }

    private void requireFiles(Arguments arguments, Client client) {
        if (hasLostFiles.getAsBoolean() && !isForced(arguments)) {
            told.accept("does not stop for SHUTDOWN from " + client.link().remoteAddress()
                    + " before changes are taken again: it has lost files that its next start needs, as was told where"
                    + " they were refused; SHUTDOWN FORCE would stop it");
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
