package io.tallis.command;

/// What the rules for commands depend on; may change while the server runs.
///
/// `password` is empty when none is required; counters beyond `maxMemoryBytes` take in no new one,
/// and beyond `mostMemoryBytes` nothing that takes more, nor when with the memory that is kept for them
/// there are more than `mostKeptBytes`.
/// `debugCommand` and `flushCommand` are `yes`, `no` or `local` (from a loopback address only).
public record CommandSettings(
        String password,
        long maxMemoryBytes,
        long mostMemoryBytes,
        long mostKeptBytes,
        int maxKeyBytes,
        long slowlogLogSlowerThanMicros,
        int slowlogMaxLen,
        long latencyMonitorThresholdMillis,
        String debugCommand,
        String flushCommand) {}
