package io.tallis.command.server;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.Link;
import io.tallis.command.Reply;
import org.jspecify.annotations.Nullable;

/// `SAVE`, `BGSAVE`, `LASTSAVE`: a consistent backup of all counters in the directory `backup` of the data directory.
/// `BGREWRITEAOF`: a checkpoint, which shortens the journal as rewriting shortens Redis's append-only file.
///
/// Durability does not depend on them: the journal has every change before its reply.
public final class BackupCommands implements CommandFamily {
    private final Backups backups;

    public BackupCommands(Backups backups) {
        this.backups = backups;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("save", this::save)
                .add("bgsave", this::saveInBackground)
                .add("bgrewriteaof", this::checkpoint)
                .add("lastsave", (_, _, reply) -> reply.integer(backups.lastEpochSeconds()));
    }

    /// `SAVE`: only this client waits.
    private void save(Arguments arguments, Client client, Reply reply) {
        Link.Suspension suspension = client.suspend();
        String refusal = backups.begin(failure -> suspension.resume(answer -> answer(failure, answer)));
        if (refusal != null) {
            suspension.resume(answer -> answer(refusal, answer));
        }
    }

    private static void answer(@Nullable String failure, Reply answer) {
        if (failure != null) {
            throw new CommandError("ERR " + failure);
        }
        answer.ok();
    }

    private void saveInBackground(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() > 2 || (arguments.count() == 2 && !arguments.is(1, "SCHEDULE"))) {
            throw CommandError.syntax();
        }
        String refusal = backups.begin(_ -> {});
        if (refusal != null) {
            throw new CommandError("ERR " + refusal);
        }
        reply.status("Background saving started");
    }

    private void checkpoint(Arguments arguments, Client client, Reply reply) {
        String refusal = backups.beginCheckpoint();
        if (refusal != null) {
            throw new CommandError("ERR " + refusal);
        }
        reply.status("Background append only file rewriting started");
    }
}
