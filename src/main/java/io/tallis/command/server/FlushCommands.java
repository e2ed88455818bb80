package io.tallis.command.server;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.CommandSettings;
import io.tallis.command.Link;
import io.tallis.command.Reply;
import io.tallis.runtime.Live;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// `FLUSHALL` and `FLUSHDB [ASYNC|SYNC]`: deletes every counter that this node sees, as `DEL` would, off the event
/// loops. Increments that it has not seen survive, as with `DEL`.
///
/// The answer comes when the journal has all of it, `ASYNC` or not; only this client waits. When changes begin to
/// be refused meanwhile, the answer is that refusal, and some counters may be deleted already. Clients that ask while
/// a flush runs share the next one, since that one may have passed by counters that were made meanwhile.
public final class FlushCommands implements CommandFamily {
    private final FlushRounds rounds;
    private final Live<CommandSettings> settings;
    private final Consumer<String> told;

    /// `told` hears, for operators, what is done and who wants it.
    public FlushCommands(Flush flush, Live<CommandSettings> settings, Later later, Consumer<String> told) {
        rounds = new FlushRounds(() -> run(flush), later);
        this.settings = settings;
        this.told = told;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("flushall", this::run).add("flushdb", this::run);
    }

    private @Nullable String run(Flush flush) {
        String error = flush.run();
        told.accept(error == null ? "has deleted all counters" : "has not deleted all counters: " + error);
        return error;
    }

    private void run(Arguments arguments, Client client, Reply reply) {
        boolean mode = arguments.count() == 2 && (arguments.is(1, "ASYNC") || arguments.is(1, "SYNC"));
        if (arguments.count() > 1 && !mode) {
            throw CommandError.syntax();
        }
        String name = arguments.is(0, "FLUSHDB") ? "FLUSHDB" : "FLUSHALL";
        LocalGuard.check(settings.now().flushCommand(), name, "enable-flush-command", client);
        told.accept("deletes all counters: " + name + " from " + client.link().remoteAddress());
        Link.Suspension suspension = client.suspend();
        rounds.join(error -> suspension.resume(answer -> {
            if (error != null) {
                throw new CommandError(error);
            }
            answer.ok();
        }));
    }
}
