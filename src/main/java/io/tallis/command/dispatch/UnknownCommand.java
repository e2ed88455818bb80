package io.tallis.command.dispatch;

import io.tallis.command.Arguments;
import io.tallis.command.facts.AbsentCommands;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/// The error replies to requests whose command this server does not have.
///
/// One that Redis has is refused by a text of its own, which says why ([AbsentCommands]). Any other gets Redis's text
/// for unknown commands.
final class UnknownCommand {
    private static final AbsentCommands ABSENT = AbsentCommands.load();

    private UnknownCommand() {}

    /// The error for a request whose command is not known, or whose subcommand is not when `commandIsKnown`.
    static String text(Arguments arguments, boolean commandIsKnown) {
        String name = arguments.shown(0);
        String refusal = ABSENT.refusal(commandIsKnown ? name + "|" + arguments.shown(1) : name);
        if (refusal != null) {
            return refusal;
        }
        return commandIsKnown ? unknownSubcommand(arguments) : unknownCommand(arguments);
    }

    /// The bytes around each word.
    private static final int QUOTES = "'' ".length();

    /// Bytes that are not UTF-8 become replacement characters.
    private static String unknownCommand(Arguments arguments) {
        StringBuilder text = new StringBuilder("ERR unknown command '" + arguments.shown(0) + "'");
        text.append(", with args beginning with: ");
        int left = Arguments.MOST_SHOWN;
        for (int word = 1; word < arguments.count() && left > 0; word++) {
            String shown = arguments.shown(word, left);
            text.append('\'').append(shown).append("' ");
            left -= Math.min(arguments.length(word), shown.getBytes(StandardCharsets.UTF_8).length) + QUOTES;
        }
        return text.toString();
    }

    private static String unknownSubcommand(Arguments arguments) {
        String command = arguments.shown(0).toUpperCase(Locale.ROOT);
        return "ERR unknown subcommand '" + arguments.shown(1) + "'. Try " + command + " HELP.";
    }
}
