package io.tallis.transcript;

import io.tallis.command.CommandError;
import io.tallis.command.cluster.WaitAof;
import io.tallis.command.server.Backups;
import io.tallis.command.server.Configuration;
import io.tallis.command.server.Later;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The parts of a node besides counters: two settings, a disk that is full for backups, background tasks that run at
/// once, and a checkpoint that never ends.
final class FakeNode implements Configuration, Backups, Later, WaitAof.Disk {
    private final Map<String, String> settings = new LinkedHashMap<>(Map.of("timeout", "0", "requirepass", ""));
    private boolean checkpointRunning;

    @Override
    public Map<String, String> values() {
        return settings;
    }

    @Override
    public void change(Map<String, String> changes) {
        settings.putAll(changes);
    }

    @Override
    public void rewrite() {
        throw new CommandError("ERR The server is running without a config file");
    }

    @Override
    public @Nullable String begin(Consumer<@Nullable String> done) {
        done.accept("cannot make a copy in backup: No space left on device");
        return null;
    }

    @Override
    public @Nullable String beginCheckpoint() {
        String refusal = checkpointRunning ? "Background append only file rewriting already in progress" : null;
        checkpointRunning = true;
        return refusal;
    }

    @Override
    public long lastEpochSeconds() {
        return 1_700_000_000;
    }

    @Override
    public boolean isKept() {
        return true;
    }

    @Override
    public void makeDurable() {}

    @Override
    public void after(Duration delay, Runnable task) {
        task.run();
    }

    @Override
    public boolean onItsOwn(String thread, Runnable task) {
        task.run();
        return true;
    }
}
