package io.tallis.command.clients;

import io.tallis.command.Client;
import io.tallis.command.Link;
import io.tallis.command.Tracker;
import io.tallis.command.Transaction;
import io.tallis.command.facts.CommandSpec;

/// A client as one line of `name=value` fields in Redis's order.
///
/// Some fields differ in meaning: requests stay in the query buffer until their command has run, so `argv-mem` only has
/// the table of words of an unusually long request; replies have no buffer of fixed size, so `rbs`, `rbp` and `obl` are
/// always 0.
final class ClientLine {
    private ClientLine() {}

    static String of(Client client, ClientRegistry clients) {
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
                + " user=" + client.user().name()
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
}
