package io.tallis.server;

import io.tallis.command.Client;
import io.tallis.command.clients.ClientRegistry;
import io.tallis.command.server.MemoryUse;
import io.tallis.config.Config;
import io.tallis.keyspace.Keyspace;
import java.util.concurrent.atomic.AtomicLong;

/// Collects the memory figures of the node from the parts that have them.
final class MemoryStatus implements MemoryUse.Source {
    private final Config config;
    private final Keyspace keyspace;
    private final ClientRegistry clients;
    private final Persistence persistence;
    private final ProcessStatus process = new ProcessStatus();
    private final AtomicLong peak = new AtomicLong();

    MemoryStatus(Config config, Keyspace keyspace, ClientRegistry clients, Persistence persistence) {
        this.config = config;
        this.keyspace = keyspace;
        this.clients = clients;
        this.persistence = persistence;
    }

    /// Records the peak. Called ten times a second.
    void sample() {
        peak.accumulateAndGet(keyspace.bytesUsed(), Math::max);
    }

    @Override
    public MemoryUse now() {
        sample();
        return new MemoryUse(
                counters(),
                process.heap(),
                clients.unordered().stream().mapToLong(Client::bufferBytes).sum(),
                persistence.bytesWaiting(),
                process.residentBytes(),
                process.machineBytes(),
                MemoryBound.ofNewCounters(config.values()));
    }

    private MemoryUse.Counters counters() {
        return new MemoryUse.Counters(
                keyspace.bytesUsed(),
                peak.get(),
                keyspace.indexBytes(),
                keyspace.bytesFree(),
                keyspace.keys(),
                keyspace.cells(),
                keyspace.deletedCells(),
                keyspace.endedShards().partOfMemory());
    }

    @Override
    public void collectGarbage() {
        process.collectGarbage();
    }
}
