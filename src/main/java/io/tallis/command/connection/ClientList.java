package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.ClientRegistry;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;

/// `CLIENT LIST [TYPE type] [ID client-id...]`: describes all connections, or some.
final class ClientList implements Command {
    private final ClientRegistry clients;
    private final ClientLine line;

    ClientList(ClientRegistry clients, ClientLine line) {
        this.clients = clients;
        this.line = line;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Predicate<Client> wanted = filter(arguments);
        StringBuilder lines = new StringBuilder();
        clients.all().stream().filter(wanted).forEach(each -> lines.append(line.of(each)));
        reply.text(lines.toString());
    }

    private static Predicate<Client> filter(Arguments arguments) {
        if (arguments.count() == 2) {
            return _ -> true;
        }
        if (arguments.count() == 4 && arguments.is(2, "TYPE")) {
            ClientType type = ClientType.of(arguments, 3);
            return client -> ClientType.of(client) == type;
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
}
