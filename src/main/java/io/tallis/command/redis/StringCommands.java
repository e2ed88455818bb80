package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.CommandSet;
import io.tallis.command.KeyEvent;
import io.tallis.command.Reply;
import io.tallis.command.TimeForm;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;

/// Redis's commands for whole values: `GET`, `SET` and their variants.
final class StringCommands {
    private final Assignments assignments;

    StringCommands(Assignments assignments) {
        this.assignments = assignments;
    }

    void addTo(CommandSet commands) {
        commands.add("get", (arguments, client, reply) -> Value.answer(arguments.key(1), client, reply))
                .add("mget", StringCommands::getSeveral)
                .add("set", new SetCommand(assignments))
                .add("setnx", this::setIfMissing)
                .add("setex", setUntil("setex", TimeForm.SECONDS))
                .add("psetex", setUntil("psetex", TimeForm.MILLIS))
                .add("mset", this::setSeveral)
                .add("msetnx", this::setSeveralIfMissing)
                .add("getset", this::getAndSet)
                .add("getdel", StringCommands::getAndDelete)
                .add("strlen", StringCommands::length);
    }

    /// `MGET key...`: the values at one moment.
    private static void getSeveral(Arguments arguments, Client client, Reply reply) {
        AtomicSection.run(client, AtomicSection.partitionsOf(arguments, 1, 1, client), () -> {
            reply.array(arguments.count() - 1);
            for (int word = 1; word < arguments.count(); word++) {
                Value.answerIfAny(arguments.key(word), client, reply);
            }
        });
    }

    /// `SETNX key value`: sets a key that has neither type. Replies 1 if it was set, else 0.
    private void setIfMissing(Arguments arguments, Client client, Reply reply) {
        assignments.require(arguments, 2);
        Key key = arguments.key(1);
        Counters counters = client.counters();
        counters.lock(key);
        try {
            boolean exists = counters.exists(key);
            if (!exists) {
                assignments.assign(arguments, 1, 2, Life.NEVER, counters);
                client.happened(KeyEvent.SET, arguments.key(1));
            }
            reply.integer(exists ? 0 : 1);
        } finally {
            counters.unlock(key);
        }
    }

    /// `SETEX key seconds value`, `PSETEX key milliseconds value`
    private Command setUntil(String name, TimeForm form) {
        return (arguments, client, reply) -> {
            long deadline = form.positive(arguments, 2, client, name);
            assignments.require(arguments, 3);
            assignments.assign(arguments, 1, 3, deadline, client.counters());
            client.happened(KeyEvent.SET, arguments.key(1));
            client.happened(KeyEvent.EXPIRE, arguments.key(1));
            reply.ok();
        };
    }

    /// `MSET key value [key value ...]`: sets all keys or none.
    private void setSeveral(Arguments arguments, Client client, Reply reply) {
        requirePairs(arguments, "mset");
        Counters counters = client.counters();
        AtomicSection.assign(client, arguments, () -> {
            for (int word = 1; word < arguments.count(); word += 2) {
                Key key = arguments.key(word);
                CounterType type = counters.readAny(key);
                if (type == CounterType.GCOUNT
                        || (type == null && counters.hashes().exists(key))) {
                    throw CommandError.wrongType();
                }
            }
            setAll(arguments, client);
        });
        reply.ok();
    }

    /// `MSETNX key value [key value ...]`: sets all keys if none of them has either type. Replies 1 if they were set,
    /// else 0.
    private void setSeveralIfMissing(Arguments arguments, Client client, Reply reply) {
        requirePairs(arguments, "msetnx");
        Counters counters = client.counters();
        AtomicSection.assign(client, arguments, () -> {
            boolean exists = anyExists(arguments, counters);
            if (!exists) {
                setAll(arguments, client);
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

    /// Refuses a list of keys and values whose last value is missing, or which has a value that is too long.
    private void requirePairs(Arguments arguments, String name) {
        if (arguments.count() % 2 == 0) {
            throw new CommandError("ERR wrong number of arguments for '" + name + "' command");
        }
        for (int word = 2; word < arguments.count(); word += 2) {
            assignments.require(arguments, word);
        }
    }

    private void setAll(Arguments arguments, Client client) {
        for (int word = 1; word < arguments.count(); word += 2) {
            assignments.assign(arguments, word, word + 1, Life.NEVER, client.counters());
            client.happened(KeyEvent.SET, arguments.key(word));
        }
    }

    /// `GETSET key value`: sets the key and replies its old value.
    private void getAndSet(Arguments arguments, Client client, Reply reply) {
        assignments.require(arguments, 2);
        Key key = arguments.key(1);
        Counters counters = client.counters();
        counters.lock(key);
        try {
            Value old = Value.read(key, client).requireNoGCount();
            assignments.assign(arguments, 1, 2, Life.NEVER, counters);
            client.happened(KeyEvent.SET, arguments.key(1));
            old.answer(reply);
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
            Value old = Value.read(key, client);
            if (counters.delete(key)) {
                client.happened(KeyEvent.DEL, key);
            }
            old.answer(reply);
        } finally {
            counters.unlock(key);
        }
    }

    /// `STRLEN key`: the length of what `GET` replies.
    private static void length(Arguments arguments, Client client, Reply reply) {
        reply.integer(Value.read(arguments.key(1), client).bytes().length);
    }
}
