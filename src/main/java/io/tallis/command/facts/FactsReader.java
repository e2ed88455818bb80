package io.tallis.command.facts;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Parser of `commands.txt`, whose format is described at the top of that file. Rejects anything that it does not know,
/// with the number of the line.
final class FactsReader {
    /// The fields of a command. Those above [#FLAGS] are required.
    private enum Field {
        SUMMARY,
        GROUP,
        SINCE,
        COMPLEXITY,
        ARITY,
        FLAGS,
        KEYS,
        ACCESS,
        CATEGORIES,
        TIPS,
        DEPRECATED,
        TOUCHES,
        SECRET,
        ARGUMENTS
    }

    private static final String INDENT = "  ";

    private static final Map<String, Field> FIELDS = new HashMap<>();
    private static final Map<String, CommandFlag> FLAGS = new HashMap<>();

    static {
        for (Field field : Field.values()) {
            FIELDS.put(field.name().toLowerCase(Locale.ROOT), field);
        }
        for (CommandFlag flag : CommandFlag.values()) {
            FLAGS.put(flag.redisName(), flag);
        }
    }

    private final String text;
    private final Map<String, CommandSpec> specs = new LinkedHashMap<>();
    private final Map<String, List<CommandSpec>> subcommands = new HashMap<>();
    private final Map<Field, String> fields = new EnumMap<>(Field.class);
    private @Nullable String name;
    private int line;

    FactsReader(String text) {
        this.text = text;
    }

    Map<String, CommandSpec> read() {
        int start = 0;
        while (start < text.length()) {
            int end = text.indexOf('\n', start);
            end = end < 0 ? text.length() : end;
            line++;
            take(start, end);
            start = end + 1;
        }
        finish();
        return specs;
    }

    private void take(int start, int end) {
        if (start == end || text.charAt(start) == '#') {
            return;
        }
        if (text.startsWith(INDENT, start)) {
            field(start + INDENT.length(), end);
            return;
        }
        finish();
        name = text.substring(start, end).replace(' ', '|');
        if (specs.containsKey(name)) {
            throw bad("'" + name + "' is described twice");
        }
    }

    private void field(int start, int end) {
        int space = text.indexOf(' ', start);
        Field field = space < 0 ? null : FIELDS.get(text.substring(start, space));
        if (name == null || field == null || space > end) {
            throw bad("not a field with a value: '" + text.substring(start, end) + "'");
        }
        int value = space;
        while (value < end && text.charAt(value) == ' ') {
            value++;
        }
        if (fields.put(field, text.substring(value, end)) != null) {
            throw bad("'" + text.substring(start, end) + "' is a second field of this name");
        }
    }

    private void finish() {
        String finished = name;
        if (finished == null) {
            return;
        }
        CommandSpec spec = spec(finished);
        specs.put(finished, spec);
        int bar = finished.indexOf('|');
        if (bar < 0) {
            return;
        }
        List<CommandSpec> siblings = subcommands.get(finished.substring(0, bar));
        if (siblings == null) {
            throw bad("'" + finished + "' comes before its command");
        }
        siblings.add(spec);
    }

    private CommandSpec spec(String fullName) {
        List<CommandSpec> children = new ArrayList<>();
        subcommands.put(fullName, children);
        CommandSpec.Docs docs = new CommandSpec.Docs(
                required(Field.GROUP),
                required(Field.SINCE),
                required(Field.SUMMARY),
                required(Field.COMPLEXITY),
                fields.getOrDefault(Field.DEPRECATED, ""),
                fields.getOrDefault(Field.ARGUMENTS, ""));
        CommandSpec spec = new CommandSpec(
                specs.size(),
                fullName,
                number(required(Field.ARITY)),
                flags(),
                keys(),
                touchesAll(),
                secret(),
                new CommandSpec.Labels(access(), words(Field.CATEGORIES), words(Field.TIPS)),
                docs,
                Collections.unmodifiableList(children));
        fields.clear();
        return spec;
    }

    private String required(Field field) {
        String value = fields.get(field);
        if (value == null) {
            throw bad("no " + field + " before this line");
        }
        return value;
    }

    private Set<CommandFlag> flags() {
        EnumSet<CommandFlag> flags = EnumSet.noneOf(CommandFlag.class);
        for (String word : words(Field.FLAGS)) {
            CommandFlag flag = FLAGS.get(word);
            if (flag == null || !flags.add(flag)) {
                throw bad("flag '" + word + "' is unknown or there twice");
            }
        }
        return Collections.unmodifiableSet(flags);
    }

    private List<String> words(Field field) {
        String words = fields.get(field);
        return words == null ? List.of() : List.of(words.split(" ", -1));
    }

    private List<List<String>> access() {
        String lists = fields.get(Field.ACCESS);
        return lists == null
                ? List.of()
                : Stream.of(lists.split(" , ", -1))
                        .map(words -> List.of(words.split(" ", -1)))
                        .toList();
    }

    private CommandSpec.Keys keys() {
        String words = fields.get(Field.KEYS);
        if (words == null) {
            return CommandSpec.Keys.NONE;
        }
        String[] numbers = words.split(" ", -1);
        if (numbers.length != 3) {
            throw bad("keys are 'first last step', not '" + words + "'");
        }
        return new CommandSpec.Keys(number(numbers[0]), number(numbers[1]), number(numbers[2]));
    }

    private CommandSpec.Secret secret() {
        String words = fields.get(Field.SECRET);
        if (words == null) {
            return CommandSpec.Secret.NONE;
        }
        int space = words.indexOf(' ');
        if (space < 0) {
            throw bad("secret is 'MARK count', not '" + words + "'");
        }
        return new CommandSpec.Secret(words.substring(0, space), number(words.substring(space + 1)));
    }

    private boolean touchesAll() {
        String word = fields.get(Field.TOUCHES);
        if (word != null && !word.equals("all")) {
            throw bad("touches is 'all' or not there, not '" + word + "'");
        }
        return word != null;
    }

    private int number(String word) {
        try {
            return Integer.parseInt(word);
        } catch (NumberFormatException _) {
            throw bad("'" + word + "' is not a number");
        }
    }

    private IllegalArgumentException bad(String problem) {
        return new IllegalArgumentException("commands.txt, line " + line + ": " + problem);
    }
}
