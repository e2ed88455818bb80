package io.tallis.server;

import io.tallis.command.server.InfoFields;
import io.tallis.command.server.MemoryUse;
import io.tallis.config.Config;
import io.tallis.config.Settings;

/// The section `memory` of `INFO`, in Redis's order, with our own fields at the end.
///
/// Redis's allocator is the JVM's heap here: allocated is what of it is used, active what it took from the system.
/// What is resident of it cannot be told, so that fields about that are left out.
final class MemorySection {
    private final Config config;
    private final MemoryStatus memory;

    MemorySection(Config config, MemoryStatus memory) {
        this.config = config;
        this.memory = memory;
    }

    void tell(InfoFields fields) {
        MemoryUse use = memory.now();
        tellUsed(fields, use);
        tellAllocator(fields, use);
        tellParts(fields, use);
        fields.field("used_memory_per_key", use.counters().bytesPerKey())
                .bytes("used_memory_limit", use.limit())
                .bytes("used_memory_free", use.counters().free())
                .bytes("used_memory_deleted_cells", use.counters().deletedBytes())
                .bytes("heap_used", use.heap().used())
                .bytes("heap_max", use.heap().max());
    }

    private static void tellUsed(InfoFields fields, MemoryUse use) {
        MemoryUse.Counters counters = use.counters();
        fields.bytes("used_memory", counters.bytes())
                .bytes("used_memory_rss", use.resident())
                .bytes("used_memory_peak", counters.peak())
                .percent("used_memory_peak_perc", counters.peakPercent())
                .field("used_memory_overhead", counters.index())
                // What counters take before there is the first.
                .field("used_memory_startup", 0)
                .field("used_memory_dataset", counters.dataset())
                .percent("used_memory_dataset_perc", counters.datasetPercent());
    }

    private void tellAllocator(InfoFields fields, MemoryUse use) {
        fields.field("allocator_allocated", use.heap().used())
                .field("allocator_active", use.heap().committed())
                .bytes("total_system_memory", use.system())
                .never("used_memory_lua", "used_memory_vm_eval")
                .field("used_memory_lua_human", "0B")
                .never("used_memory_scripts_eval", "number_of_cached_scripts")
                .never("number_of_functions", "number_of_libraries", "used_memory_vm_functions")
                .bytes("used_memory_vm_total", 0)
                .never("used_memory_functions")
                .bytes("used_memory_scripts", 0)
                .bytes("maxmemory", config.values().get(Settings.MAXMEMORY))
                .field("maxmemory_policy", "noeviction")
                .decimal("allocator_frag_ratio", use.heap().ratio(), 2)
                .field("allocator_frag_bytes", use.heap().unused())
                .decimal("mem_fragmentation_ratio", use.fragmentation(), 2)
                .field("mem_fragmentation_bytes", use.fragmentationBytes());
    }

    /// Nothing but counters is held to `maxmemory`, so that nothing has to be left out of what is.
    private static void tellParts(InfoFields fields, MemoryUse use) {
        fields.never("mem_not_counted_for_evict", "mem_replication_backlog", "mem_total_replication_buffers")
                .never("mem_clients_slaves")
                .field("mem_clients_normal", use.clients())
                .never("mem_cluster_links")
                .field("mem_aof_buffer", use.journal())
                .field("mem_allocator", "jvm")
                .never("active_defrag_running", "lazyfree_pending_objects", "lazyfreed_objects");
    }
}
