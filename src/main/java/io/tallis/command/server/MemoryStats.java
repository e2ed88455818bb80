package io.tallis.command.server;

import io.tallis.command.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// The answer to `MEMORY STATS`: a map with Redis's names, in its order, and our own behind them.
///
/// Names of what a JVM does not tell are left out: what is resident of its heap, and ratios of that.
final class MemoryStats {
    /// One field of the answer.
    private record Field(String name, Consumer<Reply> value) {}

    private final List<Field> fields = new ArrayList<>();

    MemoryStats(MemoryUse use) {
        MemoryUse.Counters counters = use.counters();
        add("peak.allocated", counters.peak());
        add("total.allocated", counters.bytes());
        // What counters take before there is the first.
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
        addProcess(use);
        add("cells.count", counters.cells());
        add("cells.deleted", counters.deletedCells());
        add("cells.deleted-bytes", counters.deletedBytes());
        add("limit", use.limit());
    }

    private void addProcess(MemoryUse use) {
        add("allocator.allocated", use.heap().used());
        add("allocator.active", use.heap().committed());
        addDecimal("allocator-fragmentation.ratio", use.heap().ratio());
        add("allocator-fragmentation.bytes", use.heap().unused());
        addDecimal("fragmentation", use.fragmentation());
        add("fragmentation.bytes", use.fragmentationBytes());
        add("heap.used", use.heap().used());
        add("heap.max", use.heap().max());
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
