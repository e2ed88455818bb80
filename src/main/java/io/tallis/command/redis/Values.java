package io.tallis.command.redis;

import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import org.jspecify.annotations.Nullable;

/// What Redis's commands see and change under a key: the PNCOUNT, and behind it the GCOUNT.
final class Values {
    static final String WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value";

    private Values() {}

    /// Adds to the PNCOUNT of a key; 0 makes it exist. Answers the new value.
    static void add(Key key, long delta, Counters counters, Reply reply) {
        switch (counters.increment(key, delta)) {
            case DONE -> reply.integer(counters.value());
            case OUT_OF_RANGE -> throw CommandError.overflow();
            case WRONG_TYPE -> throw new CommandError(WRONG_TYPE);
        }
    }

    /// Refuses a key that has a GCOUNT only. Returns whether it has a PNCOUNT, whose value [Counters#value] then
    /// is.
    static boolean requireNoGrowing(Key key, Counters counters) {
        CounterType type = counters.readAny(key);
        if (type == CounterType.GCOUNT) {
            throw new CommandError(WRONG_TYPE);
        }
        return type != null;
    }

    /// What a reader sees under a key, whose value [Counters#value] then is; null when there is nothing.
    static @Nullable CounterType typeOf(Key key, Client client) {
        CounterType type = client.counters().readAny(key);
        client.lookedUp(type != null);
        return type;
    }

    /// Answers what a key is worth to a reader of strings.
    static void answer(Key key, Client client, Reply reply) {
        CounterType type = typeOf(key, client);
        answer(type, type == null ? 0 : client.counters().value(), reply);
    }

    /// The same of what was read before.
    static void answer(@Nullable CounterType type, long value, Reply reply) {
        if (type == null) {
            reply.nil();
        } else if (type == CounterType.PNCOUNT) {
            reply.digits(value);
        } else {
            reply.unsignedDigits(value);
        }
    }
}
