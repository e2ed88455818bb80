package io.tallis.config;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// A file of settings in redis.conf's form: `name value` a line, comments behind `#`, words in quotes where they
/// hold blanks or nothing.
final class ConfigFile {
    private static final char DELETE = 0x7F;

    private ConfigFile() {}

    static List<Given> read(Path file) {
        List<String> lines = lines(file);
        List<Given> given = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String origin = file + " line " + (i + 1);
            List<String> words = words(lines.get(i), origin);
            if (!words.isEmpty()) {
                given.add(new Given(words.getFirst().toLowerCase(Locale.ROOT), words.subList(1, words.size()), origin));
            }
        }
        return given;
    }

    /// The file with every setting, its default and its comment: `conf/tallis.conf`.
    static String ofDefaults() {
        var text = new StringBuilder("""
                # Settings of Tallis, each with its default. Also given on the command line (--port 7000) and in the
                # environment (TALLIS_PORT=7000); the file is overruled by the environment, both by the command line.
                # "live" settings can be changed by CONFIG SET. Of bytes, 1k are 1000 and 1kb are 1024.
                """);
        for (Settings.Group group : Settings.groups()) {
            text.append("\n# ").append(group.title()).append("\n");
            for (Setting<?> setting : group.settings()) {
                String live = setting.change() == Setting.Change.LIVE ? " (live)" : "";
                text.append("\n# ").append(setting.doc()).append(live).append("\n");
                if (setting.type() instanceof SettingTypes.OneOf choice) {
                    text.append("# One of ")
                            .append(String.join(", ", choice.words()))
                            .append(".\n");
                }
                text.append(line(setting, setting.defaultText())).append("\n");
            }
        }
        return text.toString();
    }

    /// Writes the values back: lines of the file keep their place and comments, what is not there and not a default
    /// is added at the end.
    static void rewrite(Path file, Values values) throws IOException {
        List<String> lines = new ArrayList<>();
        Set<Setting<?>> written = new HashSet<>();
        for (String line : lines(file)) {
            List<String> words = words(line, file.toString());
            Setting<?> setting =
                    words.isEmpty() ? null : Settings.named(words.getFirst().toLowerCase(Locale.ROOT));
            if (setting == null) {
                lines.add(line);
            } else if (written.add(setting)) {
                lines.add(same(setting, words, values, file) ? line : line(setting, values.text(setting)));
            }
        }
        for (Setting<?> setting : Settings.all()) {
            if (!values.isDefault(setting) && written.add(setting)) {
                lines.add(line(setting, values.text(setting)));
            }
        }
        new FileReplacement(file.toRealPath()).write(lines, tellsSecret(file, values));
    }

    /// Whether the line already says it, perhaps in other words (`64mb` for 67108864). What it says may be no value at
    /// all, since somebody may be writing the file; that is left to them.
    private static boolean same(Setting<?> setting, List<String> words, Values values, Path file) {
        String text = String.join(" ", words.subList(1, words.size()));
        try {
            return setting.type().canonical(text).equals(values.text(setting));
        } catch (ConfigException bad) {
            throw new ConfigException(file + ": " + setting.name() + " '" + text + "': " + bad.getMessage());
        }
    }

    /// Whether there is a password to write that the file did not have.
    private static boolean tellsSecret(Path file, Values values) {
        String password = values.text(Settings.REQUIREPASS);
        return !password.isEmpty()
                && read(file).stream()
                        .filter(given -> given.name().equals(Settings.REQUIREPASS.name()))
                        .noneMatch(given -> given.words().equals(List.of(password)));
    }

    private static String line(Setting<?> setting, String text) {
        return setting.name() + " " + (setting.type().severalWords() ? text : quoted(text));
    }

    private static String quoted(String word) {
        boolean plain = !word.isEmpty() && word.chars().noneMatch(c -> c <= ' ' || c == '"' || c == '\'' || c == '\\');
        if (plain) {
            return word;
        }
        var quoted = new StringBuilder("\"");
        word.chars().forEach(c -> quoted.append(escaped((char) c)));
        return quoted.append('"').toString();
    }

    private static String escaped(char letter) {
        return switch (letter) {
            case '"', '\\' -> "\\" + letter;
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default ->
                letter < ' ' || letter == DELETE ? "\\x" + HexFormat.of().toHexDigits((byte) letter) : "" + letter;
        };
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException unreadable) {
            throw new ConfigException("cannot read the settings in " + file + ": " + reason(unreadable));
        }
    }

    private static String reason(IOException unreadable) {
        return switch (unreadable) {
            case NoSuchFileException _ -> "there is no such file";
            case AccessDeniedException _ -> "access denied";
            case CharacterCodingException _ -> "it is not text in UTF-8";
            default -> String.valueOf(unreadable.getMessage());
        };
    }

    /// The words of a line. In double quotes a word may hold `\n \r \t \xHH`, and other characters behind a backslash
    /// stand for themselves; in single quotes it is taken as it is.
    static List<String> words(String line, String origin) {
        List<String> words = new ArrayList<>();
        int i = 0;
        while (true) {
            while (i < line.length() && line.charAt(i) <= ' ') {
                i++;
            }
            if (i == line.length() || (words.isEmpty() && line.charAt(i) == '#')) {
                return words;
            }
            var word = new StringBuilder();
            i = readWord(line, i, word, origin);
            words.add(word.toString());
        }
    }

    private static int readWord(String line, int from, StringBuilder word, String origin) {
        char quote = line.charAt(from);
        if (quote != '"' && quote != '\'') {
            int to = from;
            while (to < line.length() && line.charAt(to) > ' ') {
                word.append(line.charAt(to++));
            }
            return to;
        }
        for (int i = from + 1; i < line.length(); i++) {
            char letter = line.charAt(i);
            if (letter == quote) {
                return i + 1;
            }
            if (quote == '"' && letter == '\\' && i + 1 < line.length()) {
                i = readEscaped(line, i + 1, word);
            } else {
                word.append(letter);
            }
        }
        throw new ConfigException(origin + ": unbalanced quotes");
    }

    /// Reads what stands behind a backslash, and returns where its last character is.
    private static int readEscaped(String line, int at, StringBuilder word) {
        char letter = line.charAt(at);
        if (letter == 'x'
                && at + 2 < line.length()
                && HexFormat.isHexDigit(line.charAt(at + 1))
                && HexFormat.isHexDigit(line.charAt(at + 2))) {
            word.append((char) HexFormat.fromHexDigits(line, at + 1, at + 3));
            return at + 2;
        }
        word.append(
                switch (letter) {
                    case 'n' -> '\n';
                    case 'r' -> '\r';
                    case 't' -> '\t';
                    default -> letter;
                });
        return at;
    }
}
