package io.tallis.command.connection;

import io.tallis.acl.AccessControl;
import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.command.User;
import io.tallis.command.clients.ClientRegistry;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/// `CLIENT LIST`, `CLIENT INFO` and `CLIENT KILL`: selects clients, describes them, closes them.
final class ClientList {
    private final ClientRegistry clients;
    private final AccessControl access;

    ClientList(ClientRegistry clients, AccessControl access) {
        this.clients = clients;
        this.access = access;
    }

    void info(Arguments arguments, Client client, Reply reply) {
        reply.text(clients.line(client));
    }

    /// `CLIENT LIST [TYPE type | ID client-id...]`
    void list(Arguments arguments, Client client, Reply reply) {
        Predicate<Client> wanted = listFilter(arguments);
        StringBuilder lines = new StringBuilder();
        clients.all().stream().filter(wanted).forEach(each -> lines.append(clients.line(each)));
        reply.text(lines.toString());
    }

    private static Predicate<Client> listFilter(Arguments arguments) {
        if (arguments.count() == 2) {
            return _ -> true;
        }
        if (arguments.count() == 4 && arguments.is(2, "TYPE")) {
            return ofType(arguments, 3);
        }
        if (arguments.count() > 3 && arguments.is(2, "ID")) {
            Set<Long> ids = new HashSet<>();
            for (int word = 3; word < arguments.count(); word++) {
                ids.add(Numbers.signed(arguments, word, "ERR Invalid client ID"));
            }
            return client -> ids.contains(client.id());
        }
        throw CommandError.syntax();
    }

    /// `CLIENT KILL address`, or `CLIENT KILL [ID id] [TYPE type] [USER name] [ADDR address] [LADDR address] [SKIPME
    /// yes|no] [MAXAGE seconds]`: closes connections. The second form replies with their number and spares the caller's
    /// own connection by default. The last occurrence of a repeated option counts.
    void kill(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() == 3) {
            String address = arguments.text(2);
            if (kill(each -> each.link().remoteAddress().equals(address), client) == 0) {
                throw new CommandError("ERR No such client");
            }
            reply.ok();
            return;
        }
        Predicate<Client> chosen = killFilter(arguments);
        boolean skipsOwn = skipsOwn(arguments);
        reply.integer(kill(each -> chosen.test(each) && !(skipsOwn && each.id() == client.id()), client));
    }

    /// A client that closes its own connection gets the reply first.
    private int kill(Predicate<Client> chosen, Client own) {
        List<Client> victims = clients.all().stream().filter(chosen).toList();
        for (Client victim : victims) {
            if (victim.id() == own.id()) {
                victim.link().closeAfterReplies();
            } else {
                victim.link().kill();
            }
        }
        return victims.size();
    }

    private static boolean skipsOwn(Arguments arguments) {
        boolean skips = true;
        for (int word = 2; word + 1 < arguments.count(); word += 2) {
            if (arguments.is(word, "SKIPME")) {
                skips = isYes(arguments, word + 1);
            }
        }
        return skips;
    }

    private static boolean isYes(Arguments arguments, int word) {
        if (!arguments.is(word, "YES") && !arguments.is(word, "NO")) {
            throw CommandError.syntax();
        }
        return arguments.is(word, "YES");
    }

    private Predicate<Client> killFilter(Arguments arguments) {
        if (arguments.count() % 2 != 0) {
            throw CommandError.syntax();
        }
        Map<String, Predicate<Client>> filters = new HashMap<>();
        for (int word = 2; word < arguments.count(); word += 2) {
            filters.put(arguments.text(word).toUpperCase(Locale.ROOT), filter(arguments, word));
        }
        return client -> filters.values().stream().allMatch(filter -> filter.test(client));
    }

    private Predicate<Client> filter(Arguments arguments, int word) {
        String value = arguments.text(word + 1);
        if (arguments.is(word, "ID")) {
            long id = Numbers.signed(arguments, word + 1, "ERR client-id should be greater than 0");
            if (id < 1) {
                throw new CommandError("ERR client-id should be greater than 0");
            }
            return client -> client.id() == id;
        }
        if (arguments.is(word, "TYPE")) {
            return ofType(arguments, word + 1);
        }
        if (arguments.is(word, "ADDR")) {
            return client -> client.link().remoteAddress().equals(value);
        }
        if (arguments.is(word, "LADDR")) {
            return client -> client.link().localAddress().equals(value);
        }
        if (arguments.is(word, "USER")) {
            return ofUser(value);
        }
        if (arguments.is(word, "MAXAGE")) {
            return olderThan(Numbers.signed(arguments, word + 1, "ERR maxage is not an integer or out of range"));
        }
        if (arguments.is(word, "SKIPME")) {
            return _ -> true;
        }
        throw CommandError.syntax();
    }

    /// Redis's types of clients are `normal`, `pubsub`, `master` and `replica`. This server has the first two.
    private static Predicate<Client> ofType(Arguments arguments, int word) {
        return switch (arguments.text(word).toLowerCase(Locale.ROOT)) {
            case "normal" -> client -> client.subscriptions().count() == 0;
            case "pubsub" -> client -> client.subscriptions().count() > 0;
            case "master", "replica", "slave" -> _ -> false;
            default -> throw new CommandError("ERR Unknown client type '" + arguments.shown(word) + "'");
        };
    }

    private Predicate<Client> ofUser(String name) {
        User user = access.user(name);
        if (user == null) {
            throw new CommandError("ERR No such user '" + name + "'");
        }
        return client -> client.authenticated() && client.user().equals(user);
    }

    private Predicate<Client> olderThan(long seconds) {
        if (seconds < 1) {
            throw new CommandError("ERR maxage should be greater than 0");
        }
        return client -> clients.ageSeconds(client) >= seconds;
    }
}
