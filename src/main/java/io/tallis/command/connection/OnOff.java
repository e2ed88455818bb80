package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.CommandError;

/// A word that is `ON` or `OFF`.
final class OnOff {
    private OnOff() {}

    static boolean isOn(Arguments arguments, int word) {
        if (!arguments.is(word, "ON") && !arguments.is(word, "OFF")) {
            throw CommandError.syntax();
        }
        return arguments.is(word, "ON");
    }
}
