package io.tallis.server;

import io.tallis.command.Client;
import io.tallis.command.ClientRegistry;
import io.tallis.command.server.MemoryUse;
import io.tallis.command.server.NodeMemory;
import io.tallis.config.Config;
import io.tallis.keyspace.Keyspace;
import java.util.concurrent.atomic.AtomicLong;

/// The memory of the node, asked of all who have a part in it.
final class MemoryStatus implements NodeMemory {
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

    /// Takes note of the memory in use; called now and then.
    void sample() {
        peak.accumulateAndGet(keyspace.bytesUsed(), Math::max);
    }

    @Override
    public MemoryUse now() {
        sample();
        return new MemoryUse(
                counters(),
                process.heap(),
                clients.all().stream().mapToLong(Client::bufferBytes).sum(),
                persistence.bytesWaiting(),
                process.residentBytes(),
                process.machineBytes(),
                MemoryBound.of(config.values()));
    }

    private MemoryUse.Counters counters() {
        return new MemoryUse.Counters(
                keyspace.bytesUsed(),
                peak.get(),
                keyspace.indexBytes(),
                keyspace.bytesFree(),
                keyspace.keys(),
                keyspace.cells(),
                keyspace.deletedCells());
    }

    @Override
    public void collectGarbage() {
        process.collectGarbage();
    }
}
