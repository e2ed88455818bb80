package io.tallis.command.facts;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The facts of all commands, read from `commands.txt`.
///
/// Immutable. A subcommand is found under its full name, such as `client|setname`, and in the list of its command.
public final class CommandFacts {
    /// The release of Redis whose commands and replies this server follows, and which it reports to clients.
    public static final String REDIS_VERSION = "7.2.4";

    private static final String RESOURCE = "commands.txt";

    private final Map<String, CommandSpec> byFullName;
    private final List<CommandSpec> commands;

    private CommandFacts(Map<String, CommandSpec> byFullName) {
        this.byFullName = Collections.unmodifiableMap(byFullName);
        List<CommandSpec> topLevel = new ArrayList<>();
        for (CommandSpec spec : byFullName.values()) {
            if (spec.fullName().indexOf('|') < 0) {
                topLevel.add(spec);
            }
        }
        commands = Collections.unmodifiableList(topLevel);
    }

    /// The facts that this build contains.
    public static CommandFacts load() {
        try (InputStream in = CommandFacts.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException("the resource " + RESOURCE + " is missing");
            }
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Facts in the format of `commands.txt`.
    public static CommandFacts parse(String text) {
        return new CommandFacts(new FactsReader(text).read());
    }

    /// The number of commands and subcommands. Their ids are smaller.
    public int size() {
        return byFullName.size();
    }

    /// Every command and subcommand, in the order of the file.
    public Collection<CommandSpec> all() {
        return byFullName.values();
    }

    /// Every command, without subcommands.
    public List<CommandSpec> commands() {
        return commands;
    }

    /// The facts of `client` or `client|setname`, in any case of letters; null for an unknown name.
    public @Nullable CommandSpec find(String fullName) {
        return byFullName.get(fullName.toLowerCase(Locale.ROOT));
    }
}
