package io.tallis.command.counter;

import io.tallis.command.Arguments;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;

/// By how much clients want counters changed.
final class Amounts {
    private static final String NOT_AN_AMOUNT =
            "ERR amount is not an integer from 0 to 18446744073709551615, a GCOUNT only grows";

    private Amounts() {}

    /// What is added to a GCOUNT: an unsigned number.
    static long ofGrowth(Arguments arguments, int word) {
        return Numbers.unsigned(arguments, word, NOT_AN_AMOUNT);
    }

    /// What is added to a PNCOUNT: a signed number.
    static long ofIncrement(Arguments arguments, int word) {
        return Numbers.signed(arguments, word);
    }

    /// What is added to a PNCOUNT when a client subtracts.
    static long ofDecrement(Arguments arguments, int word) {
        return Numbers.negated(arguments, word);
    }

    /// Refuses a list of keys and amounts in which one lacks.
    static void requirePairs(Arguments arguments, String name) {
        if (arguments.count() % 2 != 0) {
            throw new CommandError("ERR wrong number of arguments for '" + name + "' command");
        }
    }
}
