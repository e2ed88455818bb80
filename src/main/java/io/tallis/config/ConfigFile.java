package io.tallis.config;

import io.tallis.runtime.Directories;
import io.tallis.runtime.WholeFile;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/// Reads and rewrites configuration files in the format of redis.conf: one `name value` a line, comments after `#`, and
/// quotes around words that contain blanks or are empty.
final class ConfigFile {
    private static final char DELETE = 0x7F;
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

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

    /// The text of `conf/tallis.conf`: every setting with its description and default.
    static String ofDefaults() {
        var text = new StringBuilder("""
                # All settings of Tallis with their defaults. Each can also be given in the environment
                # (TALLIS_PORT=7000), which overrides this file, and on the command line (--port 7000), which overrides
                # both. Those marked (live) can be changed with CONFIG SET. Units of bytes: 1k is 1000, 1kb is 1024.
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

    /// Writes the values to the file. Lines keep their place, comments are kept, and settings that the file does not
    /// have are appended unless they have their default. Lines `user` are replaced by `userLines`, at the end.
    ///
    /// The file is replaced by rename: a crash leaves the old text or the new one.
    static void rewrite(Path file, Values values, List<String> userLines) throws IOException {
        List<String> lines = new ArrayList<>();
        Set<Setting<?>> written = new HashSet<>();
        boolean hadUsers = false;
        for (String line : lines(file)) {
            List<String> words = words(line, file.toString());
            if (Given.definesUser(words)) {
                hadUsers = true;
                continue;
            }
            Setting<?> setting =
                    words.isEmpty() ? null : Settings.named(words.getFirst().toLowerCase(Locale.ROOT));
            if (setting == null) {
                lines.add(line);
            } else if (written.add(setting)) {
                lines.add(saysSame(setting, words, values, file) ? line : line(setting, values.text(setting)));
            }
        }
        for (Setting<?> setting : Settings.all()) {
            if (!values.isDefault(setting) && written.add(setting)) {
                lines.add(line(setting, values.text(setting)));
            }
        }
        lines.addAll(userLines);
        boolean addsSecrets = addsPassword(file, values) || (!hadUsers && !userLines.isEmpty());
        try {
            replace(file.toRealPath(), lines, addsSecrets);
        } catch (FileSystemException refused) {
            // Its message is the path alone.
            throw new IOException("cannot write " + refused.getFile() + ": " + reason(refused), refused);
        }
    }

    /// Replaces the file and keeps its permissions, except that others lose the right to read it when it gets its first
    /// password or user. While the new text is written, only the owner can read it.
    private static void replace(Path file, List<String> lines, boolean addsSecrets) throws IOException {
        Set<PosixFilePermission> mode = EnumSet.copyOf(Files.getPosixFilePermissions(file));
        if (addsSecrets) {
            mode.remove(PosixFilePermission.OTHERS_READ);
        }
        Path next = WholeFile.next(file);
        // A file that a crash left there may be readable by all.
        Files.deleteIfExists(next);
        Files.createFile(next, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        try {
            WholeFile.write(next, StandardCharsets.UTF_8.encode(String.join("\n", lines) + "\n"));
            Files.setPosixFilePermissions(next, mode);
            Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(next);
        }
        Directories.sync(file.toAbsolutePath().resolveSibling(""));
    }

    /// Whether the line has this value already, perhaps written differently (`64mb` for 67108864). Throws if the line
    /// is invalid, which an operator may have written since the start: it is not overwritten.
    private static boolean saysSame(Setting<?> setting, List<String> words, Values values, Path file) {
        String text = String.join(" ", words.subList(1, words.size()));
        try {
            return setting.type().canonical(text).equals(values.text(setting));
        } catch (ConfigException bad) {
            throw new ConfigException(file + ": " + setting.name() + " '" + text + "': " + bad.getMessage());
        }
    }

    /// Whether the rewrite adds a password that the file does not have.
    private static boolean addsPassword(Path file, Values values) {
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
            throw new ConfigException("cannot read the configuration file " + file + ": " + reason(unreadable));
        }
    }

    private static String reason(IOException unreadable) {
        return switch (unreadable) {
            case NoSuchFileException _ -> "no such file";
            case AccessDeniedException _ -> "access denied";
            case CharacterCodingException _ -> "not valid UTF-8";
            case FileSystemException refused when refused.getReason() != null -> refused.getReason();
            default -> String.valueOf(unreadable.getMessage());
        };
    }

    /// Splits a line into words. Double quotes allow the escapes `\n \r \t \xHH`, and a backslash before any other
    /// character stands for that character; in single quotes nothing is an escape.
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

    /// Reads the escape sequence after a backslash, and returns the index of its last character.
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
