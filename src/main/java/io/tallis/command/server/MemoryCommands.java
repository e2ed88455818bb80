package io.tallis.command.server;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.keyspace.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// `MEMORY`: what counters take, and what else takes memory.
public final class MemoryCommands implements CommandFamily {
    /// An entry of a table, and about as much for the empty entries.
    private static final int TABLE_BYTES_PER_KEY = 2 * Integer.BYTES;

    private final MemoryUse.Source memory;
    private final Later later;

    public MemoryCommands(MemoryUse.Source memory, Later later) {
        this.memory = memory;
        this.later = later;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("memory|usage", this::usage)
                .add("memory|stats", (_, _, reply) -> new Stats(memory.now()).answer(reply))
                .add("memory|doctor", (_, _, reply) -> reply.text(new MemoryDoctor(memory.now()).advice()))
                .add("memory|purge", this::purge);
    }

    /// `MEMORY USAGE key [SAMPLES count]`: the bytes of the key and its cells, and its part of the tables.
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
        long fields = client.counters().hashes().bytes(key);
        reply.integer(key.length() + (cells == null ? 0 : cells.length) + TABLE_BYTES_PER_KEY + fields);
    }

    /// `MEMORY PURGE`: collects the garbage of the JVM, which may pause all clients.
    private void purge(Arguments arguments, Client client, Reply reply) {
        later.answerOnItsOwn("purge", client, () -> {
            memory.collectGarbage();
            return Reply::ok;
        });
    }

    /// The reply to `MEMORY STATS`: a map with Redis's names in Redis's order, followed by our own. Names for which the
    /// JVM has no figure are left out.
    private static final class Stats {
        private record Field(String name, Consumer<Reply> value) {}

        private final List<Field> fields = new ArrayList<>();

        Stats(MemoryUse use) {
            MemoryUse.Counters counters = use.counters();
            add("peak.allocated", counters.peak());
            add("total.allocated", counters.bytes());
            add("startup.allocated", 0);
            add("replication.backlog", 0);
            add("clients.slaves", 0);
            add("clients.normal", use.clients());
            add("cluster.links", 0);
            add("aof.buffer", use.journal());
            add("lua.caches", 0);
            add("functions.caches", 0);
            if (counters.cells() > 0) {
                fields.add(new Field("db.0", reply -> database(counters.index(), reply)));
            }
            add("overhead.total", counters.index());
            add("keys.count", counters.keys());
            add("keys.bytes-per-key", counters.bytesPerKey());
            add("dataset.bytes", counters.dataset());
            addDecimal("dataset.percentage", counters.datasetPercent());
            addDecimal("peak.percentage", counters.peakPercent());
            add("allocator.allocated", counters.bytes());
            add("allocator.active", counters.kept());
            addDecimal("allocator-fragmentation.ratio", counters.fragmentation());
            add("allocator-fragmentation.bytes", counters.free());
            addDecimal("fragmentation", counters.fragmentation());
            add("fragmentation.bytes", counters.free());
            add("heap.used", use.heap().used());
            add("heap.committed", use.heap().committed());
            add("heap.max", use.heap().max());
            add("cells.count", counters.cells());
            add("cells.deleted", counters.deletedCells());
            add("cells.deleted-bytes", counters.deletedBytes());
            add("sessions.ended-bytes", counters.endedBytes());
            add("limit", use.limit());
        }

        private void add(String name, long value) {
            fields.add(new Field(name, reply -> reply.integer(value)));
        }

        private void addDecimal(String name, double value) {
            fields.add(new Field(name, reply -> reply.decimal(value)));
        }

        void answer(Reply reply) {
            reply.map(fields.size());
            for (Field field : fields) {
                reply.bulk(field.name);
                field.value.accept(reply);
            }
        }

        private static void database(long index, Reply reply) {
            reply.map(3);
            reply.bulk("overhead.hashtable.main");
            reply.integer(index);
            reply.bulk("overhead.hashtable.expires");
            reply.integer(0);
            reply.bulk("overhead.hashtable.slot-to-keys");
            reply.integer(0);
        }
    }
}
