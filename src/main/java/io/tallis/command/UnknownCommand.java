package io.tallis.command;

import java.nio.charset.StandardCharsets;
import java.util.Locale;

/// What is answered to a name that we do not have, as Redis says it. Bytes that do not print are shown as they
/// came; line breaks are left to [Reply#error].
final class UnknownCommand {
    /// Names and arguments are shown up to so many bytes.
    private static final int MOST_BYTES = 128;

    private UnknownCommand() {}

    static String text(Arguments arguments) {
        StringBuilder text = new StringBuilder("ERR unknown command '");
        text.append(cut(arguments, 0, MOST_BYTES)).append("', with args beginning with: ");
        int left = MOST_BYTES;
        for (int word = 1; word < arguments.count() && left > 0; word++) {
            String shown = "'" + cut(arguments, word, left) + "' ";
            text.append(shown);
            left -= shown.length();
        }
        return text.toString();
    }

    static String subcommandText(Arguments arguments) {
        String command = cut(arguments, 0, MOST_BYTES).toUpperCase(Locale.ROOT);
        return "ERR unknown subcommand '" + cut(arguments, 1, MOST_BYTES) + "'. Try " + command + " HELP.";
    }

    private static String cut(Arguments arguments, int word, int most) {
        int length = Math.min(arguments.length(word), most);
        return new String(arguments.array(), arguments.offset(word), length, StandardCharsets.UTF_8);
    }
}
