package io.tallis.command.server;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.Link;
import io.tallis.command.Reply;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;

/// `MEMORY`: what counters take.
public final class MemoryCommands implements CommandFamily {
    private final Keyspace keyspace;
    private final ProcessMemory memory;
    private final Later later;

    public MemoryCommands(Keyspace keyspace, ProcessMemory memory, Later later) {
        this.keyspace = keyspace;
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
            throw new CommandError("ERR syntax error");
        }
        Key key = arguments.key(2);
        if (!client.counters().exists(key)) {
            reply.nil();
            return;
        }
        byte[] cells = client.counters().snapshot(key);
        reply.integer(key.length() + (cells == null ? 0 : cells.length) + tableBytesPerCell());
    }

    private long tableBytesPerCell() {
        return 2L * Integer.BYTES;
    }

    private void stats(Arguments arguments, Client client, Reply reply) {
        long cells = keyspace.cells();
        reply.map(7);
        tell(reply, "total.allocated", keyspace.bytesUsed());
        tell(reply, "peak.allocated", memory.peakBytes());
        tell(reply, "keys.count", keyspace.keys());
        tell(reply, "keys.bytes-per-key", cells == 0 ? 0 : keyspace.bytesUsed() / cells);
        tell(reply, "cells.count", cells);
        tell(reply, "heap.used", memory.heapUsedBytes());
        tell(reply, "heap.max", memory.heapMaxBytes());
    }

    private static void tell(Reply reply, String name, long value) {
        reply.bulk(name);
        reply.integer(value);
    }

    private void doctor(Arguments arguments, Client client, Reply reply) {
        long percent = 100 * memory.heapUsedBytes() / memory.heapMaxBytes();
        long deleted = keyspace.cells() - keyspace.keys();
        if (percent > 90) {
            reply.bulk("The heap is " + percent + " % full: start with a larger one (TALLIS_JAVA_OPTS=-Xmx...).");
        } else if (deleted > keyspace.keys() && deleted > 100_000) {
            reply.bulk("Of " + keyspace.cells() + " cells " + deleted + " are what deleted counters leave behind.");
        } else {
            reply.bulk("Nothing to complain about: the heap is " + percent + " % full.");
        }
    }

    /// Has the JVM collect its garbage, which may pause all clients.
    private void purge(Arguments arguments, Client client, Reply reply) {
        Link.Suspension suspension = client.suspend();
        later.onItsOwn("purge", () -> {
            memory.collectGarbage();
            suspension.resume(Reply::ok);
        });
    }
}
