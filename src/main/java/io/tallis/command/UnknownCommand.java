package io.tallis.command;

import java.util.Locale;

/// What is answered to a name that we do not have, as Redis says it. Bytes that are not UTF-8 become
/// replacement characters; line breaks are left to [Reply#error].
final class UnknownCommand {
    private UnknownCommand() {}

    static String text(Arguments arguments) {
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

    static String subcommandText(Arguments arguments) {
        String command = arguments.shown(0).toUpperCase(Locale.ROOT);
        return "ERR unknown subcommand '" + arguments.shown(1) + "'. Try " + command + " HELP.";
    }
}
