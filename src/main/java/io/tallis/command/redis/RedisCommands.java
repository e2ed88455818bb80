package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.CommandSettings;
import io.tallis.command.KeyEvent;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.keyspace.Key;
import io.tallis.runtime.Live;
import io.tallis.runtime.Randomness;

/// `INCR`, `DECR`, `INCRBY`, `DECRBY`, and all other commands of this package.
///
/// The four reply with the new value as this node sees it. An increment by 0 creates the counter.
public final class RedisCommands implements CommandFamily {
    private final Assignments assignments;
    private final Randomness randomness;

    public RedisCommands(Live<CommandSettings> settings, Randomness randomness) {
        assignments = new Assignments(settings);
        this.randomness = randomness;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("incr", (arguments, client, reply) -> add(arguments, 1, client, reply))
                .add("decr", (arguments, client, reply) -> add(arguments, -1, client, reply))
                .add(
                        "incrby",
                        (arguments, client, reply) -> add(arguments, Numbers.signed(arguments, 2), client, reply))
                .add(
                        "decrby",
                        (arguments, client, reply) -> add(arguments, Numbers.negated(arguments, 2), client, reply));
        commands.add("incrbyfloat", new FloatCommand()).add("increx", new IncrexCommand());
        new StringCommands(assignments).addTo(commands);
        new RangeCommands(assignments).addTo(commands);
        new KeyCommands(randomness).addTo(commands);
        RenameCommands.addTo(commands);
        ExpiryCommands.addTo(commands);
    }

    private static void add(Arguments arguments, long delta, Client client, Reply reply) {
        Key key = arguments.key(1);
        switch (client.counters().increment(key, delta)) {
            case DONE -> {
                client.happened(KeyEvent.INCRBY, key);
                reply.integer(client.counters().value());
            }
            case OUT_OF_RANGE -> throw CommandError.overflow();
            case WRONG_TYPE -> throw CommandError.wrongType();
            case NO_NUMBER -> throw CommandError.noNumber();
            case SKIPPED, NOT_HERE, TOO_MANY_TOKENS ->
                throw new IllegalStateException("an increment without conditions");
        }
    }
}
