package io.tallis.command.connection;

import io.tallis.command.Client;
import io.tallis.command.ClientRegistry;
import io.tallis.command.CommandSpec;
import io.tallis.command.Link;
import io.tallis.command.Transaction;

/// A client as `CLIENT LIST` describes it: one line of `name=value`, in Redis's order.
///
/// Arguments stay in the query buffer until their command runs: `argv-mem` is what tells where they stand, if they are
/// very many. Replies have no buffer of a fixed size, so that `rbs`, `rbp` and `obl` are always 0. Nobody is
/// redirected, since nothing is tracked.
final class ClientLine {
    private final ClientRegistry clients;

    ClientLine(ClientRegistry clients) {
        this.clients = clients;
    }

    String of(Client client) {
        Transaction transaction = client.transaction();
        CommandSpec last = client.lastCommand();
        Link.Buffers buffers = client.link().buffers();
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
                + " events=" + events(buffers)
                + " cmd=" + (last == null ? "NULL" : last.fullName())
                + " user=" + Authentication.ONLY_USER
                + " redir=-1"
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
        append(flags, client.noEvict(), 'e');
        append(flags, client.noTouch(), 'T');
        append(flags, flags.isEmpty(), 'N');
        return flags.toString();
    }

    private static String events(Link.Buffers buffers) {
        return (buffers.reading() ? "r" : "") + (buffers.writing() ? "w" : "");
    }

    private static void append(StringBuilder flags, boolean holds, char flag) {
        if (holds) {
            flags.append(flag);
        }
    }
}
