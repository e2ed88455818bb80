package io.tallis.command.facts;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.StringTokenizer;
import org.jspecify.annotations.Nullable;

/// What Redis has and this server has not, with the error reply that says why, read from `absent.txt`. Immutable.
public final class AbsentCommands {
    private static final String RESOURCE = "absent.txt";
    private static final String COMMAND = "{}";

    private final Map<String, String> texts = new HashMap<>();

    private AbsentCommands(String file) {
        String text = "";
        for (String line : file.lines().toList()) {
            if (line.startsWith(" ")) {
                add(text, line);
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                text = line;
            }
        }
    }

    private void add(String text, String names) {
        StringTokenizer words = new StringTokenizer(names);
        while (words.hasMoreTokens()) {
            String name = words.nextToken();
            if (text.isEmpty() || texts.put(name, text) != null) {
                throw new IllegalStateException(RESOURCE + ": '" + name + "' has no text, or is there twice");
            }
        }
    }

    /// What this build lacks.
    public static AbsentCommands load() {
        try (InputStream in = AbsentCommands.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException("the resource " + RESOURCE + " is missing");
            }
            return new AbsentCommands(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// The names, in upper case: `LPUSH`, `CLIENT|TRACKING`.
    public Set<String> names() {
        return Set.copyOf(texts.keySet());
    }

    /// The error reply to a command or subcommand, in upper or lower case; null for one that Redis does not have.
    public @Nullable String refusal(String fullName) {
        String name = fullName.toUpperCase(Locale.ROOT);
        String text = texts.get(name);
        return text == null ? null : text.replace(COMMAND, name.replace('|', ' '));
    }
}
