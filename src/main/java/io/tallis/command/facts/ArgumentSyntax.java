package io.tallis.command.facts;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// Parser of the compact description of a command's arguments in `commands.txt`.
///
/// ```
/// key amount              values; the name of a value determines its type
/// MATCH pattern           a token followed by its value
/// [COUNT count]           optional
/// key...                  one or more
/// (key value)...          a block, one or more times
/// <NX | XX>  [NX | XX]    exactly one of these; at most one of these
/// ```
final class ArgumentSyntax {
    private static final Set<String> INTEGERS = Set.of(
            "amount",
            "client-id",
            "count",
            "cursor",
            "db",
            "decrement",
            "end",
            "increment",
            "index",
            "integer",
            "limit",
            "lowerbound",
            "max-burst",
            "maxage",
            "milliseconds",
            "destination-db",
            "numlocal",
            "numreplicas",
            "offset",
            "port",
            "protover",
            "quantity",
            "seconds",
            "slot",
            "start",
            "timeout",
            "unix-time-milliseconds",
            "unix-time-seconds",
            "upperbound");

    private static final Set<String> KEYS = Set.of("key", "newkey", "source", "destination");

    private final String syntax;
    private int position;

    ArgumentSyntax(String syntax) {
        this.syntax = syntax;
    }

    List<Argument> parse() {
        List<Argument> arguments = sequence();
        if (position < syntax.length()) {
            throw bad("unexpected '" + syntax.charAt(position) + "'");
        }
        return arguments;
    }

    private List<Argument> sequence() {
        List<Argument> arguments = new ArrayList<>();
        for (skipSpaces(); position < syntax.length() && "])>|".indexOf(syntax.charAt(position)) < 0; skipSpaces()) {
            Argument next = element();
            arguments.add(takes("...") ? next.asMultiple() : next);
        }
        return List.copyOf(arguments);
    }

    private Argument element() {
        if (takes("[")) {
            return grouped(']').asOptional();
        }
        if (takes("(")) {
            return grouped(')');
        }
        return takes("<") ? grouped('>') : value();
    }

    private Argument grouped(char end) {
        List<Argument> alternatives = new ArrayList<>();
        do {
            alternatives.add(asOne(sequence()));
        } while (takes("|"));
        if (!takes(String.valueOf(end))) {
            throw bad("expected '" + end + "'");
        }
        if (alternatives.size() == 1) {
            return alternatives.getFirst();
        }
        return new Argument(nameOf(alternatives), Argument.Type.ONEOF, "", false, false, List.copyOf(alternatives));
    }

    private Argument asOne(List<Argument> sequence) {
        if (sequence.isEmpty()) {
            throw bad("an empty group");
        }
        return sequence.size() == 1
                ? sequence.getFirst()
                : new Argument(nameOf(sequence), Argument.Type.BLOCK, "", false, false, sequence);
    }

    private static String nameOf(List<Argument> parts) {
        return String.join("-", parts.stream().map(Argument::name).toList());
    }

    private Argument value() {
        String word = word();
        if (!isToken(word)) {
            return new Argument(word, typeOf(word), "", false, false, List.of());
        }
        int after = position;
        skipSpaces();
        if (position < syntax.length() && Character.isLowerCase(syntax.charAt(position))) {
            String value = word();
            return new Argument(value, typeOf(value), word, false, false, List.of());
        }
        position = after;
        String name = word.toLowerCase(Locale.ROOT);
        return new Argument(name, Argument.Type.PURE_TOKEN, word, false, false, List.of());
    }

    private static boolean isToken(String word) {
        return Character.isUpperCase(word.charAt(0));
    }

    private static Argument.Type typeOf(String name) {
        if (KEYS.contains(name)) {
            return Argument.Type.KEY;
        }
        if (name.equals("pattern")) {
            return Argument.Type.PATTERN;
        }
        return INTEGERS.contains(name) ? Argument.Type.INTEGER : Argument.Type.STRING;
    }

    private String word() {
        int start = position;
        while (position < syntax.length() && isWordLetter(syntax.charAt(position))) {
            position++;
        }
        if (start == position) {
            throw bad("expected a word");
        }
        return syntax.substring(start, position);
    }

    private static boolean isWordLetter(char letter) {
        return Character.isLetterOrDigit(letter) || letter == '-' || letter == '_';
    }

    private boolean takes(String expected) {
        skipSpaces();
        if (!syntax.startsWith(expected, position)) {
            return false;
        }
        position += expected.length();
        return true;
    }

    private void skipSpaces() {
        while (position < syntax.length() && syntax.charAt(position) == ' ') {
            position++;
        }
    }

    private IllegalArgumentException bad(String problem) {
        return new IllegalArgumentException(problem + " at column " + position + " of '" + syntax + "'");
    }
}
