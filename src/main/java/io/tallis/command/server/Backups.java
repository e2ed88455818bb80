package io.tallis.command.server;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Consistent copies of all counters, beside the data.
public interface Backups {
    /// Begins a copy in the background. Returns why that cannot be, null when it has begun; then `done` hears, on
    /// some thread, why it failed, or null.
    @Nullable
    String begin(Consumer<@Nullable String> done);

    /// Begins a checkpoint in the background, after which the journal starts anew. Returns why that cannot be, null
    /// when it has begun.
    @Nullable
    String beginCheckpoint();

    /// When the last copy was finished, or the server was started if there is none.
    long lastEpochSeconds();
}
