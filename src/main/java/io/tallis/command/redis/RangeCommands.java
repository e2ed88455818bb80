package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandSet;
import io.tallis.command.KeyEvent;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import java.util.Arrays;

/// Redis's commands for parts of values: `APPEND`, `GETRANGE`, `SETRANGE`.
///
/// Those that change a value assign the whole: of two nodes that append at the same time, the later one wins.
final class RangeCommands {
    private final Assignments assignments;

    RangeCommands(Assignments assignments) {
        this.assignments = assignments;
    }

    void addTo(CommandSet commands) {
        commands.add("append", this::append)
                .add("getrange", RangeCommands::getRange)
                .add("substr", RangeCommands::getRange)
                .add("setrange", this::setRange);
    }

    /// `APPEND key value`: replies the new length.
    private void append(Arguments arguments, Client client, Reply reply) {
        Key key = arguments.key(1);
        Counters counters = client.counters();
        counters.lock(key);
        try {
            Value old = Value.read(key, counters).requireNoGCount();
            int length = old.bytes().length;
            reply.integer(length + overwrite(old, length, arguments, 2, KeyEvent.APPEND, client));
        } finally {
            counters.unlock(key);
        }
    }

    /// `SETRANGE key offset value`: overwrites a part, fills a gap with zero bytes, and replies the length.
    private void setRange(Arguments arguments, Client client, Reply reply) {
        long offset = Numbers.signed(arguments, 2);
        if (offset < 0) {
            throw new CommandError("ERR offset is out of range");
        }
        Key key = arguments.key(1);
        Counters counters = client.counters();
        counters.lock(key);
        try {
            Value old = Value.read(key, counters).requireNoGCount();
            if (arguments.length(3) > 0) {
                assignments.requireLength(addedUp(offset, arguments.length(3)));
                overwrite(old, (int) offset, arguments, 3, KeyEvent.SETRANGE, client);
                reply.integer(Math.max(old.bytes().length, (int) offset + arguments.length(3)));
            } else {
                Value.requireNoHash(old.exists(), key, client);
                reply.integer(old.bytes().length);
            }
        } finally {
            counters.unlock(key);
        }
    }

    private static long addedUp(long offset, int length) {
        return offset > Integer.MAX_VALUE ? Long.MAX_VALUE : offset + length;
    }

    /// Assigns the value with the bytes of a word at `offset`. Returns how many they are.
    private int overwrite(Value old, int offset, Arguments arguments, int word, KeyEvent event, Client client) {
        int length = arguments.length(word);
        assignments.requireLength(offset + (long) length);
        byte[] bytes = Arrays.copyOf(old.bytes(), Math.max(old.bytes().length, offset + length));
        System.arraycopy(arguments.array(), arguments.offset(word), bytes, offset, length);
        if (length > 0 || !old.exists()) {
            assignments.assign(arguments, 1, bytes, client.counters());
        }
        client.happened(event, arguments.key(1));
        return length;
    }

    /// `GETRANGE key start end`: the bytes from one position to the other; negative positions count from the end.
    private static void getRange(Arguments arguments, Client client, Reply reply) {
        long start = Numbers.signed(arguments, 2);
        long end = Numbers.signed(arguments, 3);
        byte[] bytes = Value.read(arguments.key(1), client).bytes();
        boolean isBackward = start < 0 && end < 0 && start > end;
        long from = Math.max(0, start < 0 ? start + bytes.length : start);
        long to = Math.min(bytes.length - 1L, Math.max(0, end < 0 ? end + bytes.length : end));
        if (isBackward || from > to) {
            reply.bulk(new byte[0]);
        } else {
            reply.bulk(bytes, (int) from, (int) (to - from + 1));
        }
    }
}
