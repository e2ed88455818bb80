package io.tallis.command;

import io.tallis.metrics.CommandStats;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// State that the clients of one event loop share in the checks of their commands: the statistics recorder, and the
/// results of checks that are too expensive to repeat for each request. Belongs to that event loop.
public final class LoopState {
    /// Bytes of requests between two checks of the memory used, which sums many cells of a contended counter. Each
    /// event loop may exceed the limit by about this much, or by one request or transaction.
    private static final int BYTES_PER_CHECK = 1 << 14;

    /// With a slow log threshold below this every command is timed; above it fast commands are sampled.
    private static final long FINE_SLOWLOG_MICROS = 1000;

    private final CommandStats.Recorder stats;
    private final Consumer<String> errors;
    private final KeyEvents events;
    private @Nullable CommandSettings settings;
    private boolean timesAll;
    private MemoryLevel level = MemoryLevel.ROOM;
    private long bytesUntilCheck;

    /// `errors` counts error replies, for all event loops together.
    public LoopState(CommandStats.Recorder stats, Consumer<String> errors, KeyEvents events) {
        this.stats = stats;
        this.errors = errors;
        this.events = events;
    }

    /// What became of keys in the present request.
    public KeyEvents events() {
        return events;
    }

    public CommandStats.Recorder stats() {
        return stats;
    }

    /// Counts a command that ran and replied with an error.
    public void failed(int command, String text) {
        stats.failed(command);
        errors.accept(text);
    }

    /// Sets the settings that apply to the next command.
    public void adopt(CommandSettings now) {
        if (!now.equals(settings)) {
            settings = now;
            long threshold = now.slowlogLogSlowerThanMicros();
            timesAll = threshold >= 0 && threshold < FINE_SLOWLOG_MICROS;
            bytesUntilCheck = 0;
        }
    }

    /// Whether every command is timed.
    public boolean timesAll() {
        return timesAll;
    }

    /// The memory level as of the last check. While memory is full, each call checks.
    public MemoryLevel memory(Client client, long requestBytes, CommandSettings now) {
        bytesUntilCheck -= requestBytes;
        if (level != MemoryLevel.ROOM || bytesUntilCheck <= 0) {
            level = MemoryLevel.of(client.counters().keyspace(), now);
            bytesUntilCheck = BYTES_PER_CHECK - requestBytes;
        }
        return level;
    }
}
