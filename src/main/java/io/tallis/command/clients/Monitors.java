package io.tallis.command.clients;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.facts.CommandFlag;
import io.tallis.command.facts.CommandSpec;
import io.tallis.runtime.Clock;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/// The clients that receive every command (`MONITOR`). Any thread may call. Costs one volatile read per command while
/// there is none. Lines that a slow client has not taken count against its output limits.
public final class Monitors {
    private static final String HEX = "0123456789abcdef";

    private final List<Client> watchers = new CopyOnWriteArrayList<>();
    private final Clock clock;
    private volatile boolean any;

    public Monitors(Clock clock) {
        this.clock = clock;
    }

    public synchronized void add(Client client) {
        client.monitoring(true);
        watchers.add(client);
        any = true;
    }

    /// Removes a client, if it is one of them.
    public synchronized void remove(Client client) {
        if (client.monitoring()) {
            client.monitoring(false);
            watchers.remove(client);
            any = !watchers.isEmpty();
        }
    }

    public int count() {
        return watchers.size();
    }

    public boolean any() {
        return any;
    }

    /// Sends a command that has run. So the commands of a transaction come before their `EXEC`, as in Redis.
    public void show(CommandSpec spec, Arguments arguments, Client client) {
        if (spec.is(CommandFlag.ADMIN) || spec.is(CommandFlag.SKIP_MONITOR)) {
            return;
        }
        String line = line(spec, arguments, client);
        watchers.forEach(watcher -> watcher.link().send(line.length(), reply -> reply.status(line)));
    }

    private String line(CommandSpec spec, Arguments arguments, Client client) {
        long micros = clock.epochMicros();
        StringBuilder line = new StringBuilder();
        line.append(micros / 1_000_000).append('.').append(String.format(Locale.ROOT, "%06d", micros % 1_000_000));
        line.append(" [0 ").append(client.link().remoteAddress()).append(']');
        for (int word = 0; word < arguments.count(); word++) {
            line.append(' ');
            if (arguments.isSecret(word, spec.secret())) {
                line.append("\"(redacted)\"");
            } else {
                quote(arguments, word, line);
            }
        }
        return line.toString();
    }

    private static void quote(Arguments arguments, int word, StringBuilder line) {
        line.append('"');
        for (int i = 0; i < arguments.length(word); i++) {
            int letter = arguments.array()[arguments.offset(word) + i] & 0xFF;
            switch (letter) {
                case '\\', '"' -> line.append('\\').append((char) letter);
                case '\n' -> line.append("\\n");
                case '\r' -> line.append("\\r");
                case '\t' -> line.append("\\t");
                case 7 -> line.append("\\a");
                case '\b' -> line.append("\\b");
                default -> plain(letter, line);
            }
        }
        line.append('"');
    }

    private static void plain(int letter, StringBuilder line) {
        if (letter >= ' ' && letter <= '~') {
            line.append((char) letter);
        } else {
            line.append("\\x").append(HEX.charAt(letter >> 4)).append(HEX.charAt(letter & 15));
        }
    }
}
