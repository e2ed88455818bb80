package io.tallis.command.server;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.CommandSettings;
import io.tallis.command.Encoding;
import io.tallis.command.Link;
import io.tallis.command.Reply;
import io.tallis.crdt.Cell;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.runtime.Live;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// `DEBUG`, as far as tests and tools use it. The setting `enable-debug-command` allows it.
public final class DebugCommand implements Command, CommandFamily {
    /// Each sleeping client is remembered until its time is over, even if its connection ends before. So time and
    /// number are bounded.
    static final int MOST_SLEEPING = 1000;

    private static final Duration LONGEST_SLEEP = Duration.ofHours(1);

    private static final List<String> HELP = List.of(
            "DEBUG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
            "SLEEP seconds",
            "    Replies after so many seconds, at most 3600.",
            "DIGEST",
            "    Replies a digest of all counters, equal on nodes with equal counters.",
            "OBJECT key",
            "    Replies where the counter of a key is stored and its size.",
            "PANIC",
            "    Ends the process at once, as a bug would, even inside a transaction.",
            "HELP",
            "    Explains the subcommands of DEBUG.");

    private final Keyspace keyspace;
    private final Live<CommandSettings> settings;
    private final Later later;
    private final AtomicInteger sleeping = new AtomicInteger();

    public DebugCommand(Keyspace keyspace, Live<CommandSettings> settings, Later later) {
        this.keyspace = keyspace;
        this.settings = settings;
        this.later = later;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("debug", this);
    }

    /// A client without permission does not learn which subcommands there are. Inside a transaction only `PANIC` is
    /// allowed: the others need keys that the transaction has not locked, or a later reply.
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
            describe(arguments, client, reply);
        } else if (arguments.count() == 2 && arguments.is(1, "HELP")) {
            reply.array(HELP.size());
            HELP.forEach(reply::status);
        } else {
            throw CommandError.subcommand(arguments);
        }
    }

    /// `DEBUG SLEEP seconds`: only this client waits, not all clients as in Redis.
    private void sleep(Arguments arguments, Client client) {
        double seconds;
        try {
            seconds = Double.parseDouble(arguments.text(2));
        } catch (NumberFormatException _) {
            throw new CommandError("ERR value is not a valid float");
        }
        if (!(seconds >= 0 && seconds <= LONGEST_SLEEP.toSeconds())) {
            throw new CommandError("ERR value is out of range");
        }
        if (sleeping.incrementAndGet() > MOST_SLEEPING) {
            sleeping.decrementAndGet();
            throw new CommandError("ERR too many clients are sleeping");
        }
        Link.Suspension suspension = client.suspend();
        later.after(Duration.ofNanos((long) (seconds * 1e9)), () -> {
            sleeping.decrementAndGet();
            suspension.resume(Reply::ok);
        });
    }

    /// `DEBUG OBJECT key`: where the counter is stored and its size, in Redis's form.
    ///
    /// A counter has no address; its partition stands for it. Fields about the last use are left out, since it is not
    /// recorded. A key with both types is described by its PNCOUNT, as by `OBJECT ENCODING`.
    private static void describe(Arguments arguments, Client client, Reply reply) {
        Key key = arguments.key(2);
        Counters counters = client.counters();
        if (!counters.exists(key)) {
            throw new CommandError("ERR no such key");
        }
        if (counters.readAny(key) == null) {
            reply.status("Value at:partition-" + counters.keyspace().partitionOf(key)
                    + " refcount:1"
                    + " encoding:" + Encoding.HASH
                    + " serializedlength:" + counters.hashes().bytes(key)
                    + " fields:" + counters.hashes().length(key));
            return;
        }
        Cell cell = counters.cell();
        reply.status("Value at:partition-" + counters.keyspace().partitionOf(key)
                + " refcount:1"
                + " encoding:" + Encoding.of(cell)
                + " serializedlength:" + counters.keyspace().serializedLength(cell)
                + " shards:" + cell.counts().shards());
    }

    /// `DEBUG DIGEST`: visits all counters, so it runs on another thread.
    private void digest(Client client) {
        later.answerOnItsOwn("digest", client, () -> {
            String digest = KeyspaceDigest.of(keyspace);
            return answer -> answer.status(digest);
        });
    }
}
