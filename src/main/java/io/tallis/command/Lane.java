package io.tallis.command;

import io.tallis.metrics.CommandStats;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What the clients of one event loop share: where their commands are counted, and what was last found out for
/// them. Belongs to that event loop.
final class Lane {
    /// Bytes of requests between two looks at the memory used, which is a sum over many cells of a contended
    /// counter. About so far may the limit be overrun, on each event loop, or by one request or transaction.
    private static final int BYTES_A_LOOK = 1 << 14;

    /// Below this threshold of the slow log every command is timed, above it the fast ones are sampled.
    private static final long FINE_SLOWLOG_MICROS = 1000;

    private final CommandStats.Recorder stats;
    private final Consumer<String> errors;
    private @Nullable CommandSettings settings;
    private boolean timesAll;
    private MemoryLevel level = MemoryLevel.ROOM;
    private long untilLook;

    /// `errors` counts what clients of any lane are told.
    Lane(CommandStats.Recorder stats, Consumer<String> errors) {
        this.stats = stats;
        this.errors = errors;
    }

    CommandStats.Recorder stats() {
        return stats;
    }

    /// A command that was run is answered with an error.
    void failed(CommandEntry entry, String text) {
        stats.failed(entry.id());
        errors.accept(text);
    }

    /// Takes note of the settings that hold for the next command.
    void adopt(CommandSettings now) {
        if (!now.equals(settings)) {
            settings = now;
            long threshold = now.slowlogLogSlowerThanMicros();
            timesAll = threshold >= 0 && threshold < FINE_SLOWLOG_MICROS;
            untilLook = 0;
        }
    }

    boolean timesAll() {
        return timesAll;
    }

    /// How much memory counters take, as far as the last look could tell. A full memory is looked at every time.
    MemoryLevel memory(Client client, long requestBytes, CommandSettings now) {
        untilLook -= requestBytes;
        if (level != MemoryLevel.ROOM || untilLook <= 0) {
            level = MemoryLevel.of(client.counters().keyspace(), now);
            untilLook = BYTES_A_LOOK - requestBytes;
        }
        return level;
    }
}
