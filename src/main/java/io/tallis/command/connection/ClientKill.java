package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.ClientRegistry;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

/// `CLIENT KILL address`, or `CLIENT KILL [ID id] [TYPE type] [USER name] [ADDR address] [LADDR address] [SKIPME
/// yes|no] [MAXAGE seconds]`: closes connections. The second form answers how many; one's own is spared unless
/// asked for. Of an option that is given twice the last counts.
final class ClientKill implements Command {
    private final ClientRegistry clients;

    ClientKill(ClientRegistry clients) {
        this.clients = clients;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() == 3) {
            String address = arguments.text(2);
            if (kill(each -> each.link().remoteAddress().equals(address), client) == 0) {
                throw new CommandError("ERR No such client");
            }
            reply.ok();
            return;
        }
        Predicate<Client> chosen = filters(arguments);
        boolean skipsOwn = skipsOwn(arguments);
        reply.integer(kill(each -> chosen.test(each) && !(skipsOwn && each.id() == client.id()), client));
    }

    /// A client that closes its own connection gets its answer first.
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
                skips = yes(arguments, word + 1);
            }
        }
        return skips;
    }

    private static boolean yes(Arguments arguments, int word) {
        if (!arguments.is(word, "YES") && !arguments.is(word, "NO")) {
            throw CommandError.syntax();
        }
        return arguments.is(word, "YES");
    }

    private Predicate<Client> filters(Arguments arguments) {
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
            ClientType type = ClientType.of(arguments, word + 1);
            return client -> ClientType.of(client) == type;
        }
        if (arguments.is(word, "ADDR")) {
            return client -> client.link().remoteAddress().equals(value);
        }
        if (arguments.is(word, "LADDR")) {
            return client -> client.link().localAddress().equals(value);
        }
        if (arguments.is(word, "USER")) {
            return user(value);
        }
        if (arguments.is(word, "MAXAGE")) {
            return olderThan(Numbers.signed(arguments, word + 1, "ERR maxage is not an integer or out of range"));
        }
        if (arguments.is(word, "SKIPME")) {
            return _ -> true;
        }
        throw CommandError.syntax();
    }

    private static Predicate<Client> user(String name) {
        if (!name.equals(Authentication.ONLY_USER)) {
            throw new CommandError("ERR No such user '" + name + "'");
        }
        return Client::authenticated;
    }

    private Predicate<Client> olderThan(long seconds) {
        if (seconds < 1) {
            throw new CommandError("ERR maxage should be greater than 0");
        }
        return client -> clients.ageSeconds(client) >= seconds;
    }
}
