package io.tallis.command;

/// What the rules for commands depend on; may change while the server runs.
///
/// `password` is empty when none is required; `maxMemoryBytes` is what counters may take.
/// `debugCommand` and `flushCommand` are `yes`, `no` or `local` (from a loopback address only).
public record CommandSettings(
        String password,
        long maxMemoryBytes,
        int maxKeyBytes,
        long slowlogLogSlowerThanMicros,
        int slowlogMaxLen,
        long latencyMonitorThresholdMillis,
        String debugCommand,
        String flushCommand) {}
