package io.tallis.command.connection;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.CommandRunner;
import io.tallis.command.QueuedCommand;
import io.tallis.command.Reply;
import io.tallis.command.Transaction;

/// `EXEC`: runs the queued commands, with no other thread's changes in between, or none when a watched key changed.
///
/// The partitions of all keys are locked before the watches are checked. An error of one command does not stop the
/// others. The journal keeps all changes or none; peers may see a part first.
final class Exec implements Command {
    private final CommandRunner runner;

    Exec(CommandRunner runner) {
        this.runner = runner;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
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
        AtomicSection.requireBounded(transaction.rowBytes(client));
        reply.array(transaction.queued().size());
        Arguments words = new Arguments();
        for (QueuedCommand queued : transaction.queued()) {
            runner.runQueued(queued, words, client, reply);
        }
    }
}
