package io.tallis.command.server;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.CommandSettings;
import io.tallis.command.Link;
import io.tallis.command.Reply;
import io.tallis.keyspace.Keyspace;
import io.tallis.runtime.Live;
import java.time.Duration;
import java.util.List;

/// `DEBUG`, as far as tests and tools use it; allowed by the setting `enable-debug-command`.
public final class DebugCommand implements Command, CommandFamily {
    private static final List<String> HELP = List.of(
            "DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
            "SLEEP seconds",
            "    Keeps the connection waiting so many seconds, 3600 at most.",
            "DIGEST",
            "    Answers a digest of all counters, equal where they are equal.",
            "OBJECT key",
            "    Answers where the counter of a key is and what it takes.",
            "PANIC",
            "    Ends the process at once, as a mistake of ours would, amid a transaction too.",
            "HELP",
            "    Explains the subcommands of DEBUG.");

    private final Keyspace keyspace;
    private final Live<CommandSettings> settings;
    private final Later later;
    private final Sleeps sleeps;
    private final Command object = new DebugObject();

    public DebugCommand(Keyspace keyspace, Live<CommandSettings> settings, Later later) {
        this.keyspace = keyspace;
        this.settings = settings;
        this.later = later;
        sleeps = new Sleeps(later);
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("debug", this);
    }

    /// Who may not use it learns nothing about what it can do. A transaction may panic only: it has locked what its
    /// commands name as their keys, and waits for no answer.
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        LocalGuard.check(settings.now().debugCommand(), "DEBUG", "enable-debug-command", client);
        if (arguments.count() == 2 && arguments.is(1, "PANIC")) {
            throw new AssertionError("DEBUG PANIC");
        }
        if (client.transaction().isOpen()) {
            throw new CommandError("ERR Command not allowed inside a transaction");
        }
        if (arguments.count() == 3 && arguments.is(1, "SLEEP")) {
            sleep(arguments, client);
        } else if (arguments.count() == 2 && arguments.is(1, "DIGEST")) {
            digest(client);
        } else if (arguments.count() == 3 && arguments.is(1, "OBJECT")) {
            object.run(arguments, client, reply);
        } else if (arguments.count() == 2 && arguments.is(1, "HELP")) {
            reply.array(HELP.size());
            HELP.forEach(reply::status);
        } else {
            throw CommandError.subcommand(arguments);
        }
    }

    /// Answers so many seconds later. Redis keeps everybody waiting meanwhile; here it is this client alone.
    private void sleep(Arguments arguments, Client client) {
        double seconds;
        try {
            seconds = Double.parseDouble(arguments.text(2));
        } catch (NumberFormatException _) {
            throw new CommandError("ERR value is not a valid float");
        }
        if (!(seconds >= 0 && seconds <= Sleeps.LONGEST.toSeconds())) {
            throw new CommandError("ERR value is out of range");
        }
        if (!sleeps.begin()) {
            throw new CommandError("ERR too many clients sleep already");
        }
        Link.Suspension suspension = client.suspend();
        sleeps.until(Duration.ofNanos((long) (seconds * 1e9)), () -> suspension.resume(Reply::ok));
    }

    /// Equal on two nodes whose counters are equal. Looks at all of them, off the event loops.
    private void digest(Client client) {
        later.answerOnItsOwn("digest", client, () -> {
            String digest = KeyspaceDigest.of(keyspace);
            return answer -> answer.status(digest);
        });
    }
}
