package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.Reply;

/// `DEL key...`, `UNLINK key...`: deletes both counters of each key. Answers how many keys existed.
final class Del implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() == 2) {
            reply.integer(client.counters().delete(arguments.key(1)) ? 1 : 0);
            return;
        }
        AtomicSection.delete(client, arguments, 1, () -> {
            int deleted = 0;
            for (int word = 1; word < arguments.count(); word++) {
                deleted += client.counters().delete(arguments.key(word)) ? 1 : 0;
            }
            reply.integer(deleted);
        });
    }
}
