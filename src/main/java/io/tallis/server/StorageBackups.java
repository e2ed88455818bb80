package io.tallis.server;

import io.tallis.command.server.Backups;
import io.tallis.journal.Storage;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Threads;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Backups on request of clients, one at a time, each made by a thread of its own.
final class StorageBackups implements Backups {
    private static final Logger LOG = System.getLogger(StorageBackups.class.getName());

    private final Storage storage;
    private final Clock clock;
    private final AtomicBoolean running = new AtomicBoolean();
    private volatile long beganNanos;
    private volatile long taken;
    private volatile long lastSeconds = -1;
    private volatile long lastEpochSeconds;
    private volatile boolean lastFailed;

    StorageBackups(Storage storage, Clock clock) {
        this.storage = storage;
        this.clock = clock;
        lastEpochSeconds = clock.epochMillis() / 1000;
    }

    @Override
    public @Nullable String begin(Consumer<@Nullable String> done) {
        if (!running.compareAndSet(false, true)) {
            return "Background save already in progress";
        }
        beganNanos = clock.nanos();
        Threads.start("backup", () -> {
            String failure = copy();
            running.set(false);
            done.accept(failure);
        });
        return null;
    }

    @Override
    public @Nullable String beginCheckpoint() {
        if (storage.status().checkpointRunning()) {
            return "Background append only file rewriting already in progress";
        }
        storage.requestCheckpoint();
        return null;
    }

    private @Nullable String copy() {
        try {
            Path backup = storage.backup();
            LOG.log(Level.INFO, "Backup saved in " + realPath(backup));
            lastEpochSeconds = clock.epochMillis() / 1000;
            lastSeconds = secondsSinceBegin();
            long before = taken;
            taken = before + 1;
            lastFailed = false;
            return null;
        } catch (IOException failed) {
            LOG.log(Level.ERROR, "Background saving error: " + failed.getMessage());
            lastFailed = true;
            return String.valueOf(failed.getMessage());
        }
    }

    /// The path without links. An operator may have moved the backup by now.
    private static Path realPath(Path backup) {
        try {
            return backup.toRealPath();
        } catch (IOException _) {
            return backup;
        }
    }

    private long secondsSinceBegin() {
        return TimeUnit.NANOSECONDS.toSeconds(clock.nanos() - beganNanos);
    }

    @Override
    public long lastEpochSeconds() {
        return lastEpochSeconds;
    }

    BackupStatus status() {
        boolean now = running.get();
        return new BackupStatus(now, now ? secondsSinceBegin() : -1, taken, lastEpochSeconds, lastSeconds, lastFailed);
    }
}
