package io.tallis.command.transaction;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.Reply;
import io.tallis.command.Transaction;
import io.tallis.command.dispatch.CommandRunner;

/// The commands of transactions.
public final class TransactionCommands implements CommandFamily {
    private final CommandRunner runner;

    public TransactionCommands(CommandRunner runner) {
        this.runner = runner;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("multi", TransactionCommands::multi)
                .add("exec", this::exec)
                .add("discard", TransactionCommands::discard)
                .add("watch", TransactionCommands::watch)
                .add("unwatch", TransactionCommands::unwatch);
    }

    private static void multi(Arguments arguments, Client client, Reply reply) {
        if (client.transaction().isOpen()) {
            throw new CommandError("ERR MULTI calls can not be nested");
        }
        client.transaction().begin();
        reply.ok();
    }

    /// `EXEC`: runs the queued commands without changes of other threads in between, or none of them when a watched key
    /// has changed.
    ///
    /// The partitions of all keys are locked before the watches are checked. An error of one command does not stop the
    /// others. The journal keeps all changes or none; peers may see some of them first.
    private void exec(Arguments arguments, Client client, Reply reply) {
        Transaction transaction = client.transaction();
        if (!transaction.isOpen()) {
            throw new CommandError("ERR EXEC without MULTI");
        }
        String broken = transaction.broken();
        try {
            if (broken != null) {
                throw new CommandError(broken);
            }
            AtomicSection.run(client, transaction.partitions(client), () -> execute(transaction, client, reply));
        } finally {
            transaction.end();
        }
    }

    private void execute(Transaction transaction, Client client, Reply reply) {
        if (!transaction.watchesHold(client.counters())) {
            reply.nilArray();
            return;
        }
        AtomicSection.claimRows(client, transaction.rowBytes(client));
        reply.array(transaction.queued().size());
        Arguments words = new Arguments();
        for (Transaction.Queued queued : transaction.queued()) {
            runner.runQueued(queued, words, client, reply);
        }
    }

    private static void discard(Arguments arguments, Client client, Reply reply) {
        if (!client.transaction().isOpen()) {
            throw new CommandError("ERR DISCARD without MULTI");
        }
        client.transaction().end();
        reply.ok();
    }

    /// `WATCH key...`: the next `EXEC` runs nothing if one of these keys changes before it. A merge from another node
    /// counts as a change, even when the value stays the same.
    private static void watch(Arguments arguments, Client client, Reply reply) {
        if (client.transaction().isOpen()) {
            throw new CommandError("ERR WATCH inside MULTI is not allowed");
        }
        for (int word = 1; word < arguments.count(); word++) {
            if (!client.transaction().watch(arguments.key(word), client.counters())) {
                throw new CommandError("ERR a client can watch at most " + Transaction.MOST_WATCHES + " keys, which"
                        + " with their counters take at most " + Transaction.MOST_WATCHED_BYTES + " bytes");
            }
        }
        reply.ok();
    }

    private static void unwatch(Arguments arguments, Client client, Reply reply) {
        client.transaction().unwatch();
        reply.ok();
    }
}
