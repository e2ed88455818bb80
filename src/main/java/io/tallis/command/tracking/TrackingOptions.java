package io.tallis.command.tracking;

import io.tallis.command.Arguments;
import io.tallis.command.ByteString;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The options of `CLIENT TRACKING ON`. `redirect` is 0 for messages to the client itself. `prefixes` are those of
/// `BCAST`, one empty prefix if it has none.
record TrackingOptions(
        boolean broadcasts,
        boolean optsIn,
        boolean optsOut,
        boolean skipsOwn,
        long redirect,
        List<ByteString> prefixes) {
    private static final int MOST_PREFIXES = 256;

    /// Reads the options from a word on. `before` are the prefixes that the client has.
    static TrackingOptions of(Arguments arguments, int from, List<ByteString> before) {
        boolean broadcasts = false;
        boolean optsIn = false;
        boolean optsOut = false;
        boolean skipsOwn = false;
        long redirect = 0;
        List<ByteString> prefixes = new ArrayList<>();
        for (int word = from; word < arguments.count(); word++) {
            boolean hasValue = word + 1 < arguments.count();
            if (arguments.is(word, "REDIRECT") && hasValue) {
                requireFirst(redirect);
                redirect = Numbers.signed(arguments, ++word);
            } else if (arguments.is(word, "PREFIX") && hasValue) {
                prefixes.add(new ByteString(arguments.bytes(++word)));
            } else if (arguments.is(word, "BCAST")) {
                broadcasts = true;
            } else if (arguments.is(word, "OPTIN")) {
                optsIn = true;
            } else if (arguments.is(word, "OPTOUT")) {
                optsOut = true;
            } else if (arguments.is(word, "NOLOOP")) {
                skipsOwn = true;
            } else {
                throw CommandError.syntax();
            }
        }
        requireConsistent(broadcasts, optsIn, optsOut, !prefixes.isEmpty());
        List<ByteString> all = broadcasts ? joined(before, prefixes) : List.of();
        return new TrackingOptions(broadcasts, optsIn, optsOut, skipsOwn, redirect, all);
    }

    private static void requireFirst(long redirect) {
        if (redirect != 0) {
            throw new CommandError("ERR A client can only redirect to a single other client");
        }
    }

    private static void requireConsistent(boolean broadcasts, boolean optsIn, boolean optsOut, boolean hasPrefixes) {
        if (!broadcasts && hasPrefixes) {
            throw new CommandError("ERR PREFIX option requires BCAST mode to be enabled");
        }
        if (broadcasts && (optsIn || optsOut)) {
            throw new CommandError("ERR OPTIN and OPTOUT are not compatible with BCAST");
        }
        if (optsIn && optsOut) {
            throw new CommandError("ERR You can't specify both OPTIN mode and OPTOUT mode");
        }
    }

    private static List<ByteString> joined(List<ByteString> before, List<ByteString> more) {
        List<ByteString> all = new ArrayList<>(before);
        for (int i = 0; i < more.size(); i++) {
            requireApart(more.get(i), before, "an existing");
            requireApart(more.get(i), more.subList(i + 1, more.size()), "another provided");
            all.add(more.get(i));
        }
        if (all.size() > MOST_PREFIXES) {
            throw new CommandError("ERR a client can have at most " + MOST_PREFIXES + " prefixes");
        }
        return all.isEmpty() ? List.of(new ByteString(new byte[0])) : List.copyOf(all);
    }

    private static void requireApart(ByteString prefix, List<ByteString> others, String which) {
        for (ByteString other : others) {
            if (begins(other.bytes(), prefix.bytes()) || begins(prefix.bytes(), other.bytes())) {
                throw new CommandError("ERR Prefix '" + shown(prefix) + "' overlaps with " + which + " prefix '"
                        + shown(other) + "'. Prefixes for a single client must not overlap.");
            }
        }
    }

    private static String shown(ByteString word) {
        Arguments words = new Arguments();
        words.begin(word.bytes());
        words.add(0, word.bytes().length);
        return words.shown(0);
    }

    /// Whether `key` begins with `prefix`.
    static boolean begins(byte[] key, byte[] prefix) {
        return key.length >= prefix.length && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
    }

    /// Whether what the client reads has to be remembered, `caching` being what `CLIENT CACHING` said.
    boolean remembers(boolean caching) {
        return !broadcasts && !(optsIn && !caching) && !(optsOut && caching);
    }
}
