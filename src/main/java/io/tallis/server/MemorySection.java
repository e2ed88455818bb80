package io.tallis.server;

import io.tallis.command.server.InfoFields;
import io.tallis.command.server.MemoryUse;

/// The `INFO` section `memory`, in Redis's order, with our own fields at the end.
///
/// Used memory is what counters take, since `maxmemory` limits that. Redis's allocator corresponds to the memory kept
/// for counters, and fragmentation is what of it is unused. The JVM has no figure for the resident part of that memory,
/// so fields about it are left out; the resident size of the whole process is `used_memory_rss`.
final class MemorySection {
    private final MemoryStatus memory;

    MemorySection(MemoryStatus memory) {
        this.memory = memory;
    }

    void addTo(InfoFields fields) {
        MemoryUse use = memory.now();
        addUsed(fields, use);
        addLimits(fields, use);
        addAllocator(fields, use.counters());
        addParts(fields, use);
        fields.field("used_memory_per_key", use.counters().bytesPerKey())
                .bytes("used_memory_free", use.counters().free())
                .bytes("used_memory_deleted_cells", use.counters().deletedBytes())
                .bytes("used_memory_ended_sessions", use.counters().endedBytes())
                .bytes("heap_used", use.heap().used())
                .bytes("heap_committed", use.heap().committed())
                .bytes("heap_max", use.heap().max());
    }

    private static void addUsed(InfoFields fields, MemoryUse use) {
        MemoryUse.Counters counters = use.counters();
        fields.bytes("used_memory", counters.bytes())
                .bytes("used_memory_rss", use.resident())
                .bytes("used_memory_peak", counters.peak())
                .percent("used_memory_peak_perc", counters.peakPercent())
                .field("used_memory_overhead", counters.index())
                .field("used_memory_startup", 0)
                .field("used_memory_dataset", counters.dataset())
                .percent("used_memory_dataset_perc", counters.datasetPercent())
                .field("allocator_allocated", counters.bytes())
                .field("allocator_active", counters.kept());
    }

    /// `maxmemory` is the limit in force, also when the setting is 0 and the heap decides, so that monitoring can
    /// divide used memory by it. The setting itself is what `CONFIG GET` replies.
    private static void addLimits(InfoFields fields, MemoryUse use) {
        fields.bytes("total_system_memory", use.system())
                .never("used_memory_lua", "used_memory_vm_eval")
                .field("used_memory_lua_human", "0B")
                .never("used_memory_scripts_eval", "number_of_cached_scripts")
                .never("number_of_functions", "number_of_libraries", "used_memory_vm_functions")
                .bytes("used_memory_vm_total", 0)
                .never("used_memory_functions")
                .bytes("used_memory_scripts", 0)
                .bytes("maxmemory", use.limit())
                .field("maxmemory_policy", "noeviction");
    }

    private static void addAllocator(InfoFields fields, MemoryUse.Counters counters) {
        fields.decimal("allocator_frag_ratio", counters.fragmentation(), 2)
                .field("allocator_frag_bytes", counters.free())
                .decimal("mem_fragmentation_ratio", counters.fragmentation(), 2)
                .field("mem_fragmentation_bytes", counters.free());
    }

    private static void addParts(InfoFields fields, MemoryUse use) {
        fields.never("mem_not_counted_for_evict", "mem_replication_backlog", "mem_total_replication_buffers")
                .never("mem_clients_slaves")
                .field("mem_clients_normal", use.clients())
                .never("mem_cluster_links")
                .field("mem_aof_buffer", use.journal())
                .field("mem_allocator", "slabs")
                .never("active_defrag_running", "lazyfree_pending_objects", "lazyfreed_objects");
    }
}
