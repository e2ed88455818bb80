package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;
import io.tallis.keyspace.Counters;

/// The pairs of keys and values that `MSET` and `MSETNX` are given.
final class Assignments {
    private Assignments() {}

    /// Refuses a list in which a value lacks or is none.
    static void require(Arguments arguments, String name) {
        if (arguments.count() % 2 == 0) {
            throw new CommandError("ERR wrong number of arguments for '" + name + "' command");
        }
        for (int word = 2; word < arguments.count(); word += 2) {
            Numbers.signed(arguments, word);
        }
    }

    /// Gives all keys their values, whose partitions are locked.
    static void apply(Arguments arguments, Counters counters) {
        for (int word = 1; word < arguments.count(); word += 2) {
            counters.set(arguments.key(word), Numbers.signed(arguments, word + 1));
        }
    }
}
