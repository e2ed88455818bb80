package io.tallis.command.counter;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandSet;
import io.tallis.command.KeyEvent;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.crdt.CounterType;

/// The commands that change a `GCOUNT`. Its value only grows, up to 2^64-1, where it stays.
///
/// They reply `OK` and not the new value: the sum is one node's view, and a client that based a decision on it would be
/// wrong during a partition. A client that wants the view asks for it.
final class GCountCommands {
    private static final String NOT_AN_AMOUNT =
            "ERR amount is not an integer from 0 to 18446744073709551615: a GCOUNT only grows";

    private static final String NOT_A_TOTAL =
            "ERR total is not an integer from 0 to 18446744073709551615: the totals of a source only grow";

    private GCountCommands() {}

    static void addTo(CommandSet commands) {
        commands.add("gcount|inc", GCountCommands::increment)
                .add("gcount|minc", GCountCommands::incrementSeveral)
                .add("gcount|merge", GCountCommands::merge);
    }

    /// `GCOUNT INC key amount`
    private static void increment(Arguments arguments, Client client, Reply reply) {
        grow(arguments, 2, client);
        reply.ok();
    }

    /// `GCOUNT MINC key amount [key amount ...]`: adds to all of the counters or to none.
    private static void incrementSeveral(Arguments arguments, Client client, Reply reply) {
        requirePairs(arguments, "gcount|minc");
        for (int word = 3; word < arguments.count(); word += 2) {
            amount(arguments, word);
        }
        AtomicSection.add(client, arguments, 2, 2, CounterType.GCOUNT, () -> {
            for (int word = 2; word < arguments.count(); word += 2) {
                grow(arguments, word, client);
            }
        });
        reply.ok();
    }

    private static void grow(Arguments arguments, int keyWord, Client client) {
        long amount = amount(arguments, keyWord + 1);
        client.counters().grow(arguments.key(keyWord), amount);
        if (amount != 0) {
            client.happened(KeyEvent.INCRBY, arguments.key(keyWord));
        }
    }

    /// `GCOUNT MERGE key source total`: replies the largest total of the source that is known.
    private static void merge(Arguments arguments, Client client, Reply reply) {
        long total = Numbers.unsigned(arguments, 4, NOT_A_TOTAL);
        Sources.take(CounterType.GCOUNT, arguments, total, 0, client);
        reply.unsigned(client.counters().sourceAdded());
    }

    private static long amount(Arguments arguments, int word) {
        return Numbers.unsigned(arguments, word, NOT_AN_AMOUNT);
    }

    /// Refuses a list of keys and amounts whose last amount is missing.
    static void requirePairs(Arguments arguments, String name) {
        if (arguments.count() % 2 != 0) {
            throw new CommandError("ERR wrong number of arguments for '" + name + "' command");
        }
    }
}
