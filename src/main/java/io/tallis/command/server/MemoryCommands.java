package io.tallis.command.server;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.keyspace.Key;

/// `MEMORY`: what counters take, and what else takes memory.
public final class MemoryCommands implements CommandFamily {
    /// The entry of a table, and about as much that is empty.
    private static final int TABLE_BYTES_A_KEY = 2 * Integer.BYTES;

    private final NodeMemory memory;
    private final Later later;

    public MemoryCommands(NodeMemory memory, Later later) {
        this.memory = memory;
        this.later = later;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("memory|usage", this::usage)
                .add("memory|stats", this::stats)
                .add("memory|doctor", this::doctor)
                .add("memory|purge", this::purge);
    }

    /// The bytes of the key and its cells, and this key's part of the tables.
    private void usage(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() != 3 && !(arguments.count() == 5 && arguments.is(3, "SAMPLES"))) {
            throw CommandError.syntax();
        }
        if (arguments.count() == 5 && Numbers.signed(arguments, 4) < 0) {
            throw CommandError.syntax();
        }
        Key key = arguments.key(2);
        if (!client.counters().exists(key)) {
            reply.nil();
            return;
        }
        byte[] cells = client.counters().snapshot(key);
        reply.integer(key.length() + (cells == null ? 0 : cells.length) + TABLE_BYTES_A_KEY);
    }

    private void stats(Arguments arguments, Client client, Reply reply) {
        new MemoryStats(memory.now()).answer(reply);
    }

    private void doctor(Arguments arguments, Client client, Reply reply) {
        reply.text(new MemoryDoctor(memory.now()).advice());
    }

    /// Has the JVM collect its garbage, which may pause all clients.
    private void purge(Arguments arguments, Client client, Reply reply) {
        later.answerOnItsOwn("purge", client, () -> {
            memory.collectGarbage();
            return Reply::ok;
        });
    }
}
