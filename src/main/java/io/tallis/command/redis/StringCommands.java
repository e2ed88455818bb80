package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandSet;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;

/// Redis's commands for values: `GET`, `SET` and their variants. A value is an integer of 64 signed bits.
final class StringCommands {
    private StringCommands() {}

    static void addTo(CommandSet commands) {
        commands.add("get", (arguments, client, reply) -> KeyValues.answer(arguments.key(1), client, reply))
                .add("mget", StringCommands::getSeveral)
                .add("set", new SetCommand())
                .add("setnx", StringCommands::setIfMissing)
                .add("mset", StringCommands::setSeveral)
                .add("msetnx", StringCommands::setSeveralIfMissing)
                .add("getset", StringCommands::getAndSet)
                .add("getdel", StringCommands::getAndDelete)
                .add("strlen", StringCommands::length);
    }

    /// `MGET key...`: the values at one moment.
    private static void getSeveral(Arguments arguments, Client client, Reply reply) {
        AtomicSection.run(client, AtomicSection.partitionsOf(arguments, 1, 1, client), () -> {
            reply.array(arguments.count() - 1);
            for (int word = 1; word < arguments.count(); word++) {
                KeyValues.answer(arguments.key(word), client, reply);
            }
        });
    }

    /// `SETNX key value`: sets a key that has neither type. Replies 1 if it was set, else 0.
    private static void setIfMissing(Arguments arguments, Client client, Reply reply) {
        long value = Numbers.value(arguments, 2);
        Key key = arguments.key(1);
        Counters counters = client.counters();
        counters.lock(key);
        try {
            boolean exists = counters.exists(key);
            if (!exists) {
                counters.assign(key, value, Life.NEVER);
            }
            reply.integer(exists ? 0 : 1);
        } finally {
            counters.unlock(key);
        }
    }

    /// `MSET key value [key value ...]`: sets all keys or none.
    private static void setSeveral(Arguments arguments, Client client, Reply reply) {
        requirePairs(arguments, "mset");
        Counters counters = client.counters();
        AtomicSection.change(client, arguments, 1, 2, CounterType.PNCOUNT, () -> {
            for (int word = 1; word < arguments.count(); word += 2) {
                KeyValues.requireNoGCount(arguments.key(word), counters);
            }
            setAll(arguments, counters);
        });
        reply.ok();
    }

    /// `MSETNX key value [key value ...]`: sets all keys if none of them has either type. Replies 1 if they were set,
    /// else 0.
    private static void setSeveralIfMissing(Arguments arguments, Client client, Reply reply) {
        requirePairs(arguments, "msetnx");
        Counters counters = client.counters();
        AtomicSection.change(client, arguments, 1, 2, CounterType.PNCOUNT, () -> {
            boolean exists = anyExists(arguments, counters);
            if (!exists) {
                setAll(arguments, counters);
            }
            reply.integer(exists ? 0 : 1);
        });
    }

    private static boolean anyExists(Arguments arguments, Counters counters) {
        for (int word = 1; word < arguments.count(); word += 2) {
            if (counters.exists(arguments.key(word))) {
                return true;
            }
        }
        return false;
    }

    /// Refuses a list of keys and values whose last value is missing, or which has a value that is not an integer.
    private static void requirePairs(Arguments arguments, String name) {
        if (arguments.count() % 2 == 0) {
            throw new CommandError("ERR wrong number of arguments for '" + name + "' command");
        }
        for (int word = 2; word < arguments.count(); word += 2) {
            Numbers.value(arguments, word);
        }
    }

    private static void setAll(Arguments arguments, Counters counters) {
        for (int word = 1; word < arguments.count(); word += 2) {
            counters.assign(arguments.key(word), Numbers.value(arguments, word + 1), Life.NEVER);
        }
    }

    /// `GETSET key value`: sets the key and replies its old value.
    private static void getAndSet(Arguments arguments, Client client, Reply reply) {
        long value = Numbers.value(arguments, 2);
        Key key = arguments.key(1);
        Counters counters = client.counters();
        counters.lock(key);
        try {
            boolean exists = client.lookedUp(KeyValues.requireNoGCount(key, counters));
            long old = counters.value();
            counters.assign(key, value, Life.NEVER);
            if (exists) {
                reply.digits(old);
            } else {
                reply.nil();
            }
        } finally {
            counters.unlock(key);
        }
    }

    /// `GETDEL key`: deletes both types of the key and replies its old value.
    private static void getAndDelete(Arguments arguments, Client client, Reply reply) {
        Key key = arguments.key(1);
        Counters counters = client.counters();
        counters.lock(key);
        try {
            CounterType type = KeyValues.typeOf(key, client);
            long value = type == null ? 0 : counters.value();
            counters.delete(key);
            KeyValues.answer(type, value, reply);
        } finally {
            counters.unlock(key);
        }
    }

    /// `STRLEN key`: the length of what `GET` replies.
    private static void length(Arguments arguments, Client client, Reply reply) {
        CounterType type = KeyValues.typeOf(arguments.key(1), client);
        long value = client.counters().value();
        reply.integer(
                switch (type) {
                    case PNCOUNT -> Long.toString(value).length();
                    case GCOUNT -> Long.toUnsignedString(value).length();
                    case null -> 0;
                });
    }
}
