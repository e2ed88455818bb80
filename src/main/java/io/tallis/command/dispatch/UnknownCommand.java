package io.tallis.command.dispatch;

import io.tallis.command.Arguments;
import java.util.Locale;
import java.util.Set;

/// The error replies to requests whose command this server does not have.
///
/// Mostly Redis's text. Scripts have a text of their own: clients such as Redisson take `unknown command` and
/// `NOSCRIPT` for something that passes, and send the script again for ever.
final class UnknownCommand {
    private static final Set<String> SCRIPT_COMMANDS =
            Set.of("EVAL", "EVAL_RO", "EVALSHA", "EVALSHA_RO", "FCALL", "FCALL_RO", "SCRIPT", "FUNCTION");

    private static final String NO_SCRIPTS =
            "ERR scripts are not supported by Tallis: it has neither Lua nor functions;"
                    + " send single commands, or several in MULTI and EXEC";

    private UnknownCommand() {}

    /// The error for a request whose command is not known, or whose subcommand is not when `commandIsKnown`.
    static String text(Arguments arguments, boolean commandIsKnown) {
        if (arguments.length(0) <= Arguments.MOST_SHOWN
                && SCRIPT_COMMANDS.contains(arguments.text(0).toUpperCase(Locale.ROOT))) {
            return NO_SCRIPTS;
        }
        return commandIsKnown ? unknownSubcommand(arguments) : unknownCommand(arguments);
    }

    /// Bytes that are not UTF-8 become replacement characters.
    private static String unknownCommand(Arguments arguments) {
        StringBuilder text = new StringBuilder("ERR unknown command '");
        text.append(arguments.shown(0)).append("', with args beginning with: ");
        int left = Arguments.MOST_SHOWN;
        for (int word = 1; word < arguments.count() && left > 0; word++) {
            String shown = "'" + arguments.shown(word, left) + "' ";
            text.append(shown);
            left -= shown.length();
        }
        return text.toString();
    }

    private static String unknownSubcommand(Arguments arguments) {
        String command = arguments.shown(0).toUpperCase(Locale.ROOT);
        return "ERR unknown subcommand '" + arguments.shown(1) + "'. Try " + command + " HELP.";
    }
}
