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
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;

/// `DEBUG`, as far as tests and tools use it; allowed by the setting `enable-debug-command`.
public final class DebugCommands implements CommandFamily {
    private static final double LONGEST_SLEEP_SECONDS = 3600;
    private static final int DIGEST_BYTES = 20;

    private final Keyspace keyspace;
    private final Live<CommandSettings> settings;
    private final Later later;

    public DebugCommands(Keyspace keyspace, Live<CommandSettings> settings, Later later) {
        this.keyspace = keyspace;
        this.settings = settings;
        this.later = later;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("debug|sleep", guarded(this::sleep)).add("debug|digest", guarded(this::digest));
    }

    private Command guarded(Command command) {
        return (arguments, client, reply) -> {
            LocalGuard.check(settings.now().debugCommand(), "DEBUG", "enable-debug-command", client);
            command.run(arguments, client, reply);
        };
    }

    /// Answers so many seconds later. Redis keeps everybody waiting meanwhile; here it is this client alone.
    private void sleep(Arguments arguments, Client client, Reply reply) {
        double seconds;
        try {
            seconds = Double.parseDouble(arguments.text(2));
        } catch (NumberFormatException _) {
            throw new CommandError("ERR value is not a valid float");
        }
        if (!(seconds >= 0 && seconds <= LONGEST_SLEEP_SECONDS)) {
            throw new CommandError("ERR value is out of range");
        }
        Link.Suspension suspension = client.suspend();
        later.after(Duration.ofNanos((long) (seconds * 1e9)), () -> suspension.resume(Reply::ok));
    }

    /// Equal on two nodes whose counters are equal. Looks at all of them, off the event loops.
    private void digest(Arguments arguments, Client client, Reply reply) {
        Link.Suspension suspension = client.suspend();
        later.onItsOwn("digest", () -> {
            String digest = digest();
            suspension.resume(answer -> answer.status(digest));
        });
    }

    private String digest() {
        MessageDigest sum;
        try {
            sum = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every JDK has SHA-256", impossible);
        }
        for (int partition = 0; partition < Keyspace.PARTITIONS; partition++) {
            sum.update(keyspace.digest(partition));
        }
        return HexFormat.of().formatHex(sum.digest(), 0, DIGEST_BYTES);
    }
}
