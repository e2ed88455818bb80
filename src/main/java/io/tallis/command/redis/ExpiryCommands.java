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
import io.tallis.command.TimeOption;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Counters.DeadlineRule;
import io.tallis.keyspace.Key;

/// Redis's commands about the deadline of a key. Of a key with both types they set both, and reply the later one.
final class ExpiryCommands {
    private static final DeadlineRule ALWAYS = (_, _) -> true;

    private ExpiryCommands() {}

    static void addTo(CommandSet commands) {
        commands.add("expire", expire("expire", TimeForm.SECONDS))
                .add("pexpire", expire("pexpire", TimeForm.MILLIS))
                .add("expireat", expire("expireat", TimeForm.UNIX_SECONDS))
                .add("pexpireat", expire("pexpireat", TimeForm.UNIX_MILLIS))
                .add("ttl", timeToLive(TimeForm.SECONDS))
                .add("pttl", timeToLive(TimeForm.MILLIS))
                .add("expiretime", timeToLive(TimeForm.UNIX_SECONDS))
                .add("pexpiretime", timeToLive(TimeForm.UNIX_MILLIS))
                .add("persist", ExpiryCommands::persist)
                .add("getex", ExpiryCommands::getAndExpire);
    }

    /// `EXPIRE key seconds [NX | XX | GT | LT]` and its variants. A deadline that has come already deletes the key.
    private static Command expire(String name, TimeForm form) {
        return (arguments, client, reply) -> {
            DeadlineRule rule = TimeForm.rule(arguments, 3);
            long deadline = form.deadline(arguments, 2, client, name);
            Key key = arguments.key(1);
            AtomicSection.requireBounded(client, key);
            boolean done = client.counters().expireAt(key, deadline, rule);
            if (done) {
                client.expirySet(key);
            }
            reply.integer(done ? 1 : 0);
        };
    }

    /// `TTL key` and its variants: -1 without a deadline, -2 for a missing key.
    private static Command timeToLive(TimeForm form) {
        return (arguments, client, reply) -> {
            long deadline = client.counters().deadline(arguments.key(1));
            client.lookedUp(deadline != Counters.ABSENT);
            form.answer(deadline, client, reply);
        };
    }

    /// `PERSIST key`: replies 1 if it took away a deadline, else 0.
    private static void persist(Arguments arguments, Client client, Reply reply) {
        AtomicSection.requireBounded(client, arguments.key(1));
        reply.integer(persist(arguments.key(1), client) ? 1 : 0);
    }

    private static boolean persist(Key key, Client client) {
        boolean done = client.counters().persist(key);
        if (done) {
            client.happened(KeyEvent.PERSIST, key);
        }
        return done;
    }

    /// `GETEX key [EX seconds | PX milliseconds | EXAT time | PXAT time | PERSIST]`: as `GET`, and changes the
    /// deadline.
    private static void getAndExpire(Arguments arguments, Client client, Reply reply) {
        TimeOption option = optionOf(arguments);
        Key key = arguments.key(1);
        Counters counters = client.counters();
        counters.lock(key);
        try {
            Value value = Value.read(key, client);
            if (value.exists()) {
                change(key, option, client);
            }
            value.answer(reply);
        } finally {
            counters.unlock(key);
        }
    }

    private static TimeOption optionOf(Arguments arguments) {
        TimeOption option = new TimeOption(arguments);
        int word = 2;
        while (word < arguments.count()) {
            int words = option.take(word);
            if (words == 0 && !option.takeWord("PERSIST", word)) {
                throw CommandError.syntax();
            }
            word += Math.max(1, words);
        }
        return option;
    }

    private static void change(Key key, TimeOption option, Client client) {
        long deadline = option.deadlineOr(Counters.KEEP, client, "getex");
        if (option.hasTime()) {
            client.counters().expireAt(key, deadline, ALWAYS);
            client.expirySet(key);
        } else if (option.hasWord()) {
            persist(key, client);
        }
    }
}
