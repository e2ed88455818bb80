package io.tallis.command.counter;

import io.tallis.command.AtomicSection;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.KeyEvent;
import io.tallis.command.KeyWalk;
import io.tallis.command.Reply;
import io.tallis.command.ScanOptions;
import io.tallis.command.TimeForm;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Counters.DeadlineRule;
import io.tallis.keyspace.Key;
import java.util.Locale;

/// The commands that `GCOUNT` and `PNCOUNT` share: reading, deleting, scanning, expiring. [GCountCommands] and
/// [PNCountCommands] have the commands that change a value.
public final class CounterCommands implements CommandFamily {
    /// The names of nodes, for `RAW`.
    @FunctionalInterface
    public interface ReplicaNames {
        /// The name of the node that the replica id belongs to, also of a former session. Contributions under equal
        /// names are added up.
        String nameOf(ReplicaId id);
    }

    private final ReplicaNames names;

    public CounterCommands(ReplicaNames names) {
        this.names = names;
    }

    @Override
    public void addTo(CommandSet commands) {
        GCountCommands.addTo(commands);
        PNCountCommands.addTo(commands);
        for (CounterType type : CounterType.KEYS) {
            String prefix = type.name().toLowerCase(Locale.ROOT) + "|";
            commands.add(prefix + "get", get(type))
                    .add(prefix + "mget", getSeveral(type))
                    .add(prefix + "raw", CountRaw.of(type, names))
                    .add(prefix + "del", delete(type))
                    .add(prefix + "scan", scan(type))
                    .add(prefix + "expire", expire(type, prefix + "expire"))
                    .add(prefix + "ttl", timeToLive(type, TimeForm.SECONDS))
                    .add(prefix + "pttl", timeToLive(type, TimeForm.MILLIS));
        }
    }

    /// `GET key`: the value as this node sees it, 0 for a missing counter.
    private static Command get(CounterType type) {
        return (arguments, client, reply) -> {
            read(type, client, arguments.key(2));
            if (client.counters().cell().hasText()) {
                throw CommandError.noNumber();
            }
            value(type, client, reply);
        };
    }

    private static void read(CounterType type, Client client, Key key) {
        client.lookedUp(client.counters().read(type, key));
    }

    /// Replies the value that was read; null for a text.
    private static void value(CounterType type, Client client, Reply reply) {
        long value = client.counters().value();
        switch (type) {
            case GCOUNT -> reply.unsigned(value);
            case PNCOUNT, FIELD, TOKEN -> {
                if (client.counters().cell().hasText()) {
                    reply.nil();
                } else {
                    reply.integer(value);
                }
            }
        }
    }

    /// `MGET key...`: the values at one moment.
    private static Command getSeveral(CounterType type) {
        return (arguments, client, reply) ->
                AtomicSection.run(client, AtomicSection.partitionsOf(arguments, 2, 1, client), () -> {
                    reply.array(arguments.count() - 2);
                    for (int word = 2; word < arguments.count(); word++) {
                        read(type, client, arguments.key(word));
                        value(type, client, reply);
                    }
                });
    }

    /// `DEL key...`: resets every shard that this node has of the counters. Replies how many counters existed.
    private static Command delete(CounterType type) {
        return (arguments, client, reply) -> AtomicSection.delete(client, arguments, 2, () -> {
            int deleted = 0;
            for (int word = 2; word < arguments.count(); word++) {
                Key key = arguments.key(word);
                if (client.counters().delete(type, key)) {
                    client.happened(KeyEvent.DEL, key);
                    deleted++;
                }
            }
            reply.integer(deleted);
        });
    }

    /// `SCAN cursor [MATCH pattern] [COUNT count]`: iterates over the keys with a counter of this type.
    private static Command scan(CounterType type) {
        return (arguments, client, reply) -> {
            long cursor = KeyWalk.cursorOf(arguments, 2);
            ScanOptions options = ScanOptions.of(arguments, 3, type);
            KeyWalk.step(client.counters().keyspace(), cursor, options).answer(reply);
        };
    }

    /// `EXPIRE key seconds [NX | XX | GT | LT]`: a deadline that has come already deletes the counter.
    private static Command expire(CounterType type, String name) {
        return (arguments, client, reply) -> {
            DeadlineRule rule = TimeForm.rule(arguments, 4);
            long deadline = TimeForm.SECONDS.deadline(arguments, 3, client, name);
            Key key = arguments.key(2);
            boolean done = client.counters().expireAt(type, key, deadline, rule);
            if (done) {
                client.expirySet(key);
            }
            reply.integer(done ? 1 : 0);
        };
    }

    /// `TTL key`, `PTTL key`: -1 without a deadline, -2 for a missing counter.
    private static Command timeToLive(CounterType type, TimeForm form) {
        return (arguments, client, reply) -> {
            long deadline = client.counters().deadline(type, arguments.key(2));
            client.lookedUp(deadline != Counters.ABSENT);
            form.answer(deadline, client, reply);
        };
    }
}
