package io.tallis.command.hash;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.AtomicSection.FieldWords;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.CommandSettings;
import io.tallis.command.KeyEvent;
import io.tallis.command.KeyWalk;
import io.tallis.command.Reply;
import io.tallis.command.ScanOptions;
import io.tallis.command.counter.CounterCommands.ReplicaNames;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Hashes;
import io.tallis.keyspace.Key;
import io.tallis.runtime.Live;
import io.tallis.runtime.Randomness;

/// `HGET`, `HSET` and their variants, and all other commands of this package.
///
/// Commands that read several fields see them at one moment, as long as the hash is small; see
/// [io.tallis.keyspace.Hashes].
public final class HashCommands implements CommandFamily {
    private final Fields fields;
    private final ReplicaNames names;
    private final Randomness randomness;

    public HashCommands(Live<CommandSettings> settings, ReplicaNames names, Randomness randomness) {
        fields = new Fields(settings);
        this.names = names;
        this.randomness = randomness;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("hget", HashCommands::get)
                .add("hmget", HashCommands::getSeveral)
                .add("hset", this::set)
                .add("hmset", this::setSeveral)
                .add("hsetnx", this::setIfMissing)
                .add("hdel", delete(KeyEvent.HDEL))
                .add("hlen", HashCommands::length)
                .add("hexists", (arguments, client, reply) -> reply.integer(Fields.read(arguments, 2, client) ? 1 : 0))
                .add("hstrlen", HashCommands::valueLength)
                .add("hgetall", all(true, true))
                .add("hkeys", all(true, false))
                .add("hvals", all(false, true))
                .add("hscan", HashCommands::scan)
                .add("hrandfield", new RandomField(randomness, "WITHVALUES", FieldList::answerPairs))
                .add("zrandmember", new RandomField(randomness, "WITHSCORES", FieldList::answerScored));
        FieldCounts counts = new FieldCounts(fields, names);
        counts.addTo(commands);
        SortedSetCommands.addTo(commands);
        new ScoreChanges(fields, counts).addTo(commands);
    }

    /// `HGET key field`
    private static void get(Arguments arguments, Client client, Reply reply) {
        if (Fields.read(arguments, 2, client)) {
            Fields.answer(client.counters().cell(), reply);
        } else {
            reply.nil();
        }
    }

    /// `HMGET key field...`: the values at one moment.
    private static void getSeveral(Arguments arguments, Client client, Reply reply) {
        Counters counters = client.counters();
        Key key = arguments.key(1);
        counters.lock(key);
        try {
            Fields.requireNoString(arguments, client);
            reply.array(arguments.count() - 2);
            for (int word = 2; word < arguments.count(); word++) {
                get(arguments, word, client, reply);
            }
        } finally {
            counters.unlock(arguments.key(1));
        }
    }

    private static void get(Arguments arguments, int word, Client client, Reply reply) {
        Counters counters = client.counters();
        if (counters.hashes()
                .read(arguments.key(1), arguments.array(), arguments.offset(word), arguments.length(word))) {
            Fields.answer(counters.cell(), reply);
        } else {
            reply.nil();
        }
    }

    /// `HSET key field value [field value ...]`: sets all fields or none. Replies how many are new.
    private void set(Arguments arguments, Client client, Reply reply) {
        reply.integer(set(arguments, client, "hset"));
    }

    /// `HMSET key field value [field value ...]`
    private void setSeveral(Arguments arguments, Client client, Reply reply) {
        long _ = set(arguments, client, "hmset");
        reply.ok();
    }

    private long set(Arguments arguments, Client client, String name) {
        requirePairs(arguments, 2, name);
        for (int word = 2; word < arguments.count(); word += 2) {
            fields.requireName(arguments, 1, word);
            fields.requireValue(arguments, word + 1);
        }
        long[] made = {0};
        if (arguments.count() == 4) {
            made[0] = Fields.assign(arguments, 2, client) ? 1 : 0;
        } else {
            AtomicSection.fields(client, FieldWords.withValues(arguments, 1), () -> {
                Fields.requireNoString(arguments, client);
                for (int word = 2; word < arguments.count(); word += 2) {
                    made[0] += Fields.assign(arguments, word, client) ? 1 : 0;
                }
            });
        }
        client.happened(KeyEvent.HSET, arguments.key(1));
        return made[0];
    }

    /// Refuses a list of fields and values whose last value is missing.
    static void requirePairs(Arguments arguments, int first, String name) {
        if ((arguments.count() - first) % 2 != 0) {
            throw new CommandError("ERR wrong number of arguments for '" + name + "' command");
        }
    }

    /// `HSETNX key field value`: sets a field that does not exist. Replies 1 if it was set, else 0.
    private void setIfMissing(Arguments arguments, Client client, Reply reply) {
        fields.requireName(arguments, 1, 2);
        fields.requireValue(arguments, 3);
        Counters counters = client.counters();
        counters.lock(arguments.key(1));
        try {
            boolean isSet = !Fields.read(arguments, 2, client) && Fields.assign(arguments, 2, client);
            if (isSet) {
                client.happened(KeyEvent.HSET, arguments.key(1));
            }
            reply.integer(isSet ? 1 : 0);
        } finally {
            counters.unlock(arguments.key(1));
        }
    }

    /// `HDEL key field...`, `ZREM key member...`: deletes what this node sees of the fields. Replies how many there
    /// were.
    static Command delete(KeyEvent event) {
        return (arguments, client, reply) -> {
            int[] deleted = {0};
            if (arguments.count() == 3) {
                deleted[0] = delete(arguments, 2, client);
            } else {
                AtomicSection.fields(client, FieldWords.toDelete(arguments, 1), () -> {
                    for (int word = 2; word < arguments.count(); word++) {
                        deleted[0] += delete(arguments, word, client);
                    }
                });
            }
            if (deleted[0] > 0) {
                client.removedFields(event, arguments.key(1));
            }
            reply.integer(deleted[0]);
        };
    }

    private static int delete(Arguments arguments, int word, Client client) {
        boolean existed = client.counters()
                .hashes()
                .delete(arguments.key(1), arguments.array(), arguments.offset(word), arguments.length(word));
        if (!existed) {
            Fields.requireNoString(arguments, client);
        }
        return existed ? 1 : 0;
    }

    /// `HLEN key`, `ZCARD key`
    static void length(Arguments arguments, Client client, Reply reply) {
        long length = client.counters().hashes().length(arguments.key(1));
        if (length == 0) {
            Fields.requireNoString(arguments, client);
        }
        client.lookedUp(length > 0);
        reply.integer(length);
    }

    /// `HSTRLEN key field`: the length of what `HGET` replies.
    private static void valueLength(Arguments arguments, Client client, Reply reply) {
        boolean found = Fields.read(arguments, 2, client);
        reply.integer(found ? Fields.length(client.counters().cell()) : 0);
    }

    /// `HGETALL key`, `HKEYS key`, `HVALS key`
    private static Command all(boolean names, boolean values) {
        return (arguments, client, reply) -> {
            FieldList list = list(arguments, client, names, values);
            if (names && values) {
                reply.map(list.count() / 2);
            } else {
                reply.array(list.count());
            }
            list.answer(reply);
        };
    }

    /// All fields of the hash that a request names.
    static FieldList list(Arguments arguments, Client client, boolean names, boolean values) {
        FieldList list = new FieldList();
        client.counters().hashes().each(arguments.key(1), (array, offset, length, cell) -> {
            list.requireBounded();
            list.add(array, offset, length, cell, names, values);
        });
        if (list.count() == 0) {
            Fields.requireNoString(arguments, client);
        }
        client.lookedUp(list.count() > 0);
        return list;
    }

    /// `HSCAN key cursor [MATCH pattern] [COUNT count]`, and the same of `ZSCAN`. As in Redis, the options of a missing
    /// hash are not looked at.
    static void scan(Arguments arguments, Client client, Reply reply) {
        long cursor = KeyWalk.cursorOf(arguments, 2);
        Hashes hashes = client.counters().hashes();
        if (hashes.exists(arguments.key(1))) {
            FieldScan scan = new FieldScan(cursor);
            scan.run(arguments.key(1), ScanOptions.of(arguments, 3, CounterType.FIELD), hashes);
            scan.answer(reply);
        } else {
            Fields.requireNoString(arguments, client);
            new FieldScan(0).answer(reply);
        }
    }
}
