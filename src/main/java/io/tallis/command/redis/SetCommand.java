package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.crdt.Life;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;

/// `SET key value [NX | XX] [GET] [KEEPTTL]`: resets every shard that this node has of the key's PNCOUNT and adds the
/// value, in one change.
///
/// Values of two nodes that set at the same time add up, since neither has seen the other's.
final class SetCommand implements Command {
    private static final int IF_MISSING = 1;
    private static final int IF_EXISTS = 2;
    private static final int REPLY_OLD = 4;
    private static final int KEEP_EXPIRY = 8;

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        int options = options(arguments);
        long value = Numbers.value(arguments, 2);
        Key key = arguments.key(1);
        Counters counters = client.counters();
        counters.lock(key);
        try {
            set(key, value, options, client, reply);
        } finally {
            counters.unlock(key);
        }
    }

    @Override
    public void refuseImpossible(Arguments arguments) {
        ExpiryCommands.requireNoOption(arguments, 3);
    }

    private static void set(Key key, long value, int options, Client client, Reply reply) {
        Counters counters = client.counters();
        boolean exists = counters.exists(key);
        boolean refused = exists ? (options & IF_MISSING) != 0 : (options & IF_EXISTS) != 0;
        boolean repliesOld = (options & REPLY_OLD) != 0;
        if (repliesOld) {
            client.lookedUp(exists);
        }
        if (refused && !repliesOld) {
            reply.nil();
            return;
        }
        boolean counted = KeyValues.requireNoGCount(key, counters);
        long old = counters.value();
        if (!refused) {
            counters.assign(key, value, Life.NEVER);
        }
        if (!repliesOld) {
            reply.ok();
        } else if (counted) {
            reply.digits(old);
        } else {
            reply.nil();
        }
    }

    private static int options(Arguments arguments) {
        int options = 0;
        int expiry = 0;
        for (int word = 3; word < arguments.count(); word++) {
            if (ExpiryCommands.isOption(arguments, word)) {
                word++;
                require(expiry == 0 && word < arguments.count());
                expiry = word;
            } else {
                options |= option(arguments, word);
            }
        }
        require(!all(IF_MISSING | IF_EXISTS, options));
        require(expiry == 0 || !all(KEEP_EXPIRY, options));
        if (expiry > 0) {
            ExpiryCommands.refuseTime(arguments, expiry, "set");
        }
        return options;
    }

    private static boolean all(int wanted, int options) {
        return (options & wanted) == wanted;
    }

    private static int option(Arguments arguments, int word) {
        if (arguments.is(word, "NX")) {
            return IF_MISSING;
        }
        if (arguments.is(word, "XX")) {
            return IF_EXISTS;
        }
        if (arguments.is(word, "GET")) {
            return REPLY_OLD;
        }
        require(arguments.is(word, "KEEPTTL"));
        return KEEP_EXPIRY;
    }

    private static void require(boolean good) {
        if (!good) {
            throw CommandError.syntax();
        }
    }
}
