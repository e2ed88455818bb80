package io.tallis.command.redis;

import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import org.jspecify.annotations.Nullable;

/// The value of a key in the eyes of Redis's commands: that of its PNCOUNT, else that of its GCOUNT.
final class KeyValues {
    private KeyValues() {}

    static CommandError wrongType() {
        return new CommandError("WRONGTYPE Operation against a key holding the wrong kind of value");
    }

    /// Refuses a key that has only a GCOUNT. Returns whether it has a PNCOUNT; its value is then [Counters#value].
    static boolean requireNoGCount(Key key, Counters counters) {
        CounterType type = counters.readAny(key);
        if (type == CounterType.GCOUNT) {
            throw wrongType();
        }
        return type != null;
    }

    /// The type that a reader sees, or null for a missing key. The value is then [Counters#value].
    static @Nullable CounterType typeOf(Key key, Client client) {
        CounterType type = client.counters().readAny(key);
        client.lookedUp(type != null);
        return type;
    }

    /// Replies the value of a key as a string, or null.
    static void answer(Key key, Client client, Reply reply) {
        CounterType type = typeOf(key, client);
        answer(type, type == null ? 0 : client.counters().value(), reply);
    }

    /// Replies a value that was read before as a string, or null.
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
