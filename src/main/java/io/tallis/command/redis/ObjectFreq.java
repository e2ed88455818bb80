package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;

/// `OBJECT FREQ key`: refused as Redis does when it does not count how often keys are used.
final class ObjectFreq implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        if (client.lookedUp(client.counters().exists(arguments.key(2)))) {
            throw new CommandError("ERR An LFU maxmemory policy is not selected, access frequency not tracked. "
                    + "Please note that when switching between policies at runtime LRU and LFU data will take some "
                    + "time to adjust.");
        }
        reply.nil();
    }
}
