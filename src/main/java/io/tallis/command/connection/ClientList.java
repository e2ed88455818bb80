package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.Link;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.command.Tracker;
import io.tallis.command.Transaction;
import io.tallis.command.clients.ClientRegistry;
import io.tallis.command.facts.CommandSpec;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/// `CLIENT LIST`, `CLIENT INFO` and `CLIENT KILL`: selects clients, describes them, closes them.
///
/// A client is one line of `name=value` fields in Redis's order. Some fields differ in meaning: requests stay in the
/// query buffer until their command has run, so `argv-mem` only has the table of words of an unusually long request;
/// replies have no buffer of fixed size, so `rbs`, `rbp` and `obl` are always 0.
final class ClientList {
    private final ClientRegistry clients;

    ClientList(ClientRegistry clients) {
        this.clients = clients;
    }

    void info(Arguments arguments, Client client, Reply reply) {
        reply.text(line(client));
    }

    /// `CLIENT LIST [TYPE type | ID client-id...]`
    void list(Arguments arguments, Client client, Reply reply) {
        Predicate<Client> wanted = listFilter(arguments);
        StringBuilder lines = new StringBuilder();
        clients.all().stream().filter(wanted).forEach(each -> lines.append(line(each)));
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

    private String line(Client client) {
        Transaction transaction = client.transaction();
        CommandSpec last = client.lastCommand();
        Link.Buffers buffers = client.link().buffers();
        Tracker tracker = client.tracker();
        return "id=" + client.id()
                + " addr=" + client.link().remoteAddress()
                + " laddr=" + client.link().localAddress()
                + " fd=" + client.link().descriptor()
                + " name=" + client.name()
                + " age=" + clients.ageSeconds(client)
                + " idle=" + clients.idleSeconds(client)
                + " flags=" + flags(client)
                + " db=0"
                + " sub=" + client.subscriptions().channels()
                + " psub=" + client.subscriptions().patterns()
                + " ssub=" + client.subscriptions().shardChannels()
                + " multi=" + (transaction.isOpen() ? transaction.queued().size() : -1)
                + " qbuf=" + buffers.query()
                + " qbuf-free=" + buffers.queryRoom()
                + " argv-mem=" + buffers.words()
                + " multi-mem=" + transaction.bytes()
                + " rbs=0"
                + " rbp=0"
                + " obl=0"
                + " oll=" + buffers.outputPieces()
                + " omem=" + buffers.output()
                + " tot-mem=" + client.bufferBytes()
                + " events=" + (buffers.reading() ? "r" : "") + (buffers.writing() ? "w" : "")
                + " cmd=" + (last == null ? "NULL" : last.fullName())
                + " user=" + Authentication.ONLY_USER
                + " redir=" + (tracker == null ? -1 : tracker.redirect())
                + " resp=" + client.protocol()
                + " lib-name=" + client.libraryName()
                + " lib-ver=" + client.libraryVersion()
                + "\n";
    }

    private static String flags(Client client) {
        StringBuilder flags = new StringBuilder();
        append(flags, client.monitoring(), 'O');
        append(flags, client.subscriptions().count() > 0, 'P');
        append(flags, client.transaction().isOpen(), 'x');
        append(flags, client.suspended(), 'b');
        Tracker tracker = client.tracker();
        flags.append(tracker == null ? "" : tracker.flags());
        append(flags, client.noEvict(), 'e');
        append(flags, client.noTouch(), 'T');
        append(flags, flags.isEmpty(), 'N');
        return flags.toString();
    }

    private static void append(StringBuilder flags, boolean holds, char flag) {
        if (holds) {
            flags.append(flag);
        }
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

    private static Predicate<Client> ofUser(String name) {
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
