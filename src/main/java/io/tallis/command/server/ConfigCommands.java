package io.tallis.command.server;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.Glob;
import io.tallis.command.Reply;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// `CONFIG`: reads and changes the settings of the node, and writes them to the configuration file.
public final class ConfigCommands implements CommandFamily {
    private final Configuration configuration;
    private final Runnable resetStatistics;
    private final Later later;

    public ConfigCommands(Configuration configuration, Runnable resetStatistics, Later later) {
        this.configuration = configuration;
        this.resetStatistics = resetStatistics;
        this.later = later;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("config|get", this::get)
                .add("config|set", this::set)
                .add("config|rewrite", this::rewrite)
                .add("config|resetstat", this::resetStat);
    }

    private void get(Arguments arguments, Client client, Reply reply) {
        Map<String, String> values = configuration.values();
        Map<String, String> found = new LinkedHashMap<>();
        for (int word = 2; word < arguments.count(); word++) {
            find(arguments.text(word), values.keySet(), found);
        }
        reply.map(found.size());
        found.forEach((name, shown) -> {
            reply.bulk(shown);
            reply.bulk(String.valueOf(values.get(name)));
        });
    }

    /// Adds the settings that match, each with the name to reply: a name is replied as the client wrote it.
    private static void find(String asked, Set<String> names, Map<String, String> found) {
        String lower = asked.toLowerCase(Locale.ROOT);
        if (names.contains(lower)) {
            found.putIfAbsent(lower, asked);
            return;
        }
        Glob pattern = new Glob(lower.getBytes(StandardCharsets.UTF_8));
        names.stream().filter(name -> matches(pattern, name)).forEach(name -> found.putIfAbsent(name, name));
    }

    private static boolean matches(Glob pattern, String name) {
        return pattern.matches(name.getBytes(StandardCharsets.UTF_8));
    }

    private void set(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() % 2 != 0) {
            throw CommandError.syntax();
        }
        Map<String, String> changes = new LinkedHashMap<>();
        for (int word = 2; word < arguments.count(); word += 2) {
            String name = arguments.text(word).toLowerCase(Locale.ROOT);
            if (changes.put(name, text(arguments, word + 1, name)) != null) {
                throw new CommandError("ERR CONFIG SET failed (possibly related to argument '" + arguments.text(word)
                        + "') - duplicate parameter");
            }
        }
        configuration.change(changes);
        reply.ok();
    }

    /// Refuses bytes that are not UTF-8: they would be stored altered, and an altered password would lock all clients
    /// out.
    private static String text(Arguments arguments, int word, String name) {
        String text = arguments.text(word);
        if (!Arrays.equals(text.getBytes(StandardCharsets.UTF_8), arguments.bytes(word))) {
            throw new CommandError(
                    "ERR CONFIG SET failed (possibly related to argument '" + name + "') - it is not text in UTF-8");
        }
        return text;
    }

    private void rewrite(Arguments arguments, Client client, Reply reply) {
        later.answerOnItsOwn("rewrite", client, () -> {
            configuration.rewrite();
            return Reply::ok;
        });
    }

    private void resetStat(Arguments arguments, Client client, Reply reply) {
        resetStatistics.run();
        reply.ok();
    }
}
