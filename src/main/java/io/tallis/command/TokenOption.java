package io.tallis.command;

import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;

/// The option `IDMP producer-id idempotent-id`, spelt as that of `XADD`: the token of a request that a client may
/// repeat, with which it is done once.
public final class TokenOption {
    /// How many words the option has.
    public static final int WORDS = 3;

    private static final int LONGEST_ID = 255;

    private TokenOption() {}

    /// Whether the option begins at a word.
    public static boolean isAt(Arguments arguments, int word) {
        return word < arguments.count() && arguments.is(word, "IDMP");
    }

    /// The token for a counter: both ids, in a form in which no others look the same.
    public static byte[] read(Arguments arguments, int option, Key counter) {
        if (option + WORDS > arguments.count()) {
            throw CommandError.syntax();
        }
        int producer = idLength(arguments, option + 1);
        int request = idLength(arguments, option + 2);
        byte[] token = new byte[1 + producer + request];
        if (!Counters.fitsToken(counter, token.length)) {
            throw new CommandError("ERR the key is too long for a token");
        }
        token[0] = (byte) producer;
        System.arraycopy(arguments.array(), arguments.offset(option + 1), token, 1, producer);
        System.arraycopy(arguments.array(), arguments.offset(option + 2), token, 1 + producer, request);
        return token;
    }

    private static int idLength(Arguments arguments, int word) {
        int length = arguments.length(word);
        if (length == 0 || length > LONGEST_ID) {
            throw new CommandError("ERR an id of IDMP has 1 to " + LONGEST_ID + " bytes");
        }
        return length;
    }

    /// Another node has done what the token stands for. The client may ask again: this one will know it.
    public static CommandError notHere() {
        return new CommandError("TRYAGAIN the increment of this token was made by a node that has not sent it yet");
    }

    public static CommandError tooMany() {
        return new CommandError("ERR too many idempotency tokens; see idempotency-max-tokens");
    }
}
