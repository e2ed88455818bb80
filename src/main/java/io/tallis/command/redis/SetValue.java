package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;

/// `SET key value [NX | XX] [GET] [KEEPTTL]`: gives the PNCOUNT of the key an integer value, which is to take back
/// all that this node has seen of it and add the value.
///
/// Two nodes that set at the same time add up: neither has seen the other's.
final class SetValue implements Command {
    private static final int ONLY_NEW = 1;
    private static final int ONLY_KNOWN = 2;
    private static final int ANSWER_OLD = 4;
    private static final int KEEPS_EXPIRY = 8;

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        int options = options(arguments);
        long value = Numbers.signed(arguments, 2);
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
        Expiry.requireNone(arguments, 3);
    }

    private static void set(Key key, long value, int options, Client client, Reply reply) {
        Counters counters = client.counters();
        boolean known = counters.exists(key);
        boolean refused = known ? (options & ONLY_NEW) != 0 : (options & ONLY_KNOWN) != 0;
        boolean answersOld = (options & ANSWER_OLD) != 0;
        if (answersOld) {
            client.lookedUp(known);
        }
        if (refused && !answersOld) {
            reply.nil();
            return;
        }
        boolean counted = Values.requireNoGrowing(key, counters);
        long old = counters.value();
        if (!refused) {
            counters.set(key, value);
        }
        if (!answersOld) {
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
            if (Expiry.isOption(arguments, word)) {
                word++;
                require(expiry == 0 && word < arguments.count());
                expiry = word;
            } else {
                options |= option(arguments, word);
            }
        }
        require(!all(ONLY_NEW | ONLY_KNOWN, options));
        require(expiry == 0 || !all(KEEPS_EXPIRY, options));
        if (expiry > 0) {
            throw Expiry.refusal(arguments, expiry, "set");
        }
        return options;
    }

    private static boolean all(int wanted, int options) {
        return (options & wanted) == wanted;
    }

    private static int option(Arguments arguments, int word) {
        if (arguments.is(word, "NX")) {
            return ONLY_NEW;
        }
        if (arguments.is(word, "XX")) {
            return ONLY_KNOWN;
        }
        if (arguments.is(word, "GET")) {
            return ANSWER_OLD;
        }
        require(arguments.is(word, "KEEPTTL"));
        return KEEPS_EXPIRY;
    }

    private static void require(boolean good) {
        if (!good) {
            throw CommandError.syntax();
        }
    }
}
