package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;

/// What clients say about expiry, which counters do not have: it is read as Redis reads it, so that a mistake gets
/// Redis's words, and the rest is refused.
final class Expiry {
    static final String NOT_SUPPORTED = "ERR expiry is not supported: counters do not expire, and a rate limit made of"
            + " INCR and EXPIRE would never reset";

    private Expiry() {}

    static boolean isOption(Arguments arguments, int word) {
        return arguments.is(word, "EX")
                || arguments.is(word, "PX")
                || arguments.is(word, "EXAT")
                || arguments.is(word, "PXAT");
    }

    /// Refuses options of expiry from that word on.
    static void requireNone(Arguments arguments, int from) {
        for (int word = from; word < arguments.count(); word++) {
            if (isOption(arguments, word)) {
                throw new CommandError(NOT_SUPPORTED);
            }
        }
    }

    /// Refuses to give a value that expires at the time that the word says.
    static CommandError refusal(Arguments arguments, int timeWord, String command) {
        boolean isTime = Numbers.signed(arguments, timeWord) > 0;
        return new CommandError(isTime ? NOT_SUPPORTED : "ERR invalid expire time in '" + command + "' command");
    }
}
