package io.tallis.command.redis;

import io.tallis.command.Arguments;

/// The options with which clients ask for expiry, which counters do not have.
final class Expiry {
    private Expiry() {}

    static boolean isOption(Arguments arguments, int word) {
        return arguments.is(word, "EX")
                || arguments.is(word, "PX")
                || arguments.is(word, "EXAT")
                || arguments.is(word, "PXAT");
    }
}
