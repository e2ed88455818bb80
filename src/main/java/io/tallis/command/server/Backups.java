package io.tallis.command.server;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Backups of all counters, and checkpoints.
public interface Backups {
    /// Starts a backup in the background. Returns why it cannot start, or null; then `done` is called on some thread
    /// with the reason of a failure, or null.
    @Nullable
    String begin(Consumer<@Nullable String> done);

    /// Starts a checkpoint in the background, after which older journal segments are deleted. Returns why it cannot
    /// start, or null.
    @Nullable
    String beginCheckpoint();

    /// The time of the last backup, or the start of the server if there is none.
    long lastEpochSeconds();
}
