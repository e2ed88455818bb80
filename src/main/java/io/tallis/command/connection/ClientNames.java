package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.CommandError;

/// Names that clients give themselves: they stand in lines of `CLIENT LIST`, so blanks would break those.
final class ClientNames {
    /// The longest name, in bytes; a longer one is refused.
    private static final int LONGEST = 1024;

    private ClientNames() {}

    static String name(Arguments arguments, int word) {
        return require(arguments, word, "Client names");
    }

    /// The word as a name; `what` is how an error calls it.
    static String require(Arguments arguments, int word, String what) {
        for (int i = 0; i < arguments.length(word); i++) {
            int letter = arguments.array()[arguments.offset(word) + i];
            if (letter < '!' || letter > '~') {
                throw new CommandError("ERR " + what + " cannot contain spaces, newlines or special characters.");
            }
        }
        if (arguments.length(word) > LONGEST) {
            throw new CommandError("ERR " + what + " cannot be longer than " + LONGEST + " bytes.");
        }
        return arguments.text(word);
    }
}
