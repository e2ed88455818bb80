package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.KeyEvent;
import io.tallis.command.Reply;
import io.tallis.command.TimeOption;
import io.tallis.crdt.Life;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;

/// `SET key value [NX | XX] [GET] [EX seconds | PX milliseconds | EXAT time | PXAT time | KEEPTTL]`: resets what this
/// node has seen of the key's PNCOUNT and assigns the value, in one change.
///
/// Of two nodes that set at the same time the later one wins.
final class SetCommand implements Command {
    private static final int IF_MISSING = 1;
    private static final int IF_EXISTS = 2;
    private static final int REPLY_OLD = 4;

    private final Assignments assignments;

    SetCommand(Assignments assignments) {
        this.assignments = assignments;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() == 3) {
            assignments.require(arguments, 2);
            assign(arguments, Life.NEVER, client);
            reply.ok();
            return;
        }
        TimeOption time = new TimeOption(arguments);
        int options = 0;
        int word = 3;
        while (word < arguments.count()) {
            int words = time.take(word);
            if (words == 0 && !time.takeWord("KEEPTTL", word)) {
                options |= option(arguments, word);
            }
            word += Math.max(1, words);
        }
        if ((options & IF_MISSING) != 0 && (options & IF_EXISTS) != 0) {
            throw CommandError.syntax();
        }
        long deadline = time.deadlineOr(time.hasWord() ? Counters.KEEP : Life.NEVER, client, "set");
        assignments.require(arguments, 2);
        set(arguments, options, deadline, client, reply);
    }

    private void set(Arguments arguments, int options, long deadline, Client client, Reply reply) {
        Counters counters = client.counters();
        if ((options & (IF_MISSING | IF_EXISTS | REPLY_OLD)) == 0) {
            assign(arguments, deadline, client);
            reply.ok();
            return;
        }
        Key key = arguments.key(1);
        counters.lock(key);
        try {
            setIf(arguments, options, deadline, client, reply);
        } finally {
            counters.unlock(key);
        }
    }

    private void assign(Arguments arguments, long deadline, Client client) {
        assignments.assign(arguments, 1, 2, deadline, client.counters());
        Key key = arguments.key(1);
        client.happened(KeyEvent.SET, key);
        if (deadline != Counters.KEEP && deadline != Life.NEVER) {
            client.happened(KeyEvent.EXPIRE, key);
        }
    }

    private void setIf(Arguments arguments, int options, long deadline, Client client, Reply reply) {
        Counters counters = client.counters();
        Key key = arguments.key(1);
        boolean repliesOld = (options & REPLY_OLD) != 0;
        Value old = repliesOld ? Value.read(key, client).requireNoGCount() : null;
        boolean exists = old == null ? counters.exists(key) : old.exists();
        boolean refused = exists ? (options & IF_MISSING) != 0 : (options & IF_EXISTS) != 0;
        if (!refused) {
            assign(arguments, deadline, client);
        }
        if (old != null) {
            old.answer(reply);
        } else if (refused) {
            reply.nil();
        } else {
            reply.ok();
        }
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
        throw CommandError.syntax();
    }
}
