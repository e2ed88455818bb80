package io.tallis.command;

/// The settings that the checks of commands depend on. They may change while the server runs.
///
/// The three limits are those of [MemoryLevel]: above `maxMemoryBytes` no counter is created; above `mostMemoryBytes`,
/// or when used and free bytes together exceed `mostKeptBytes`, nothing that takes memory is accepted. `maxValueBytes`
/// bounds values that are no numbers. `debugCommand` and `flushCommand` are `yes`, `no` or `local` (from a loopback
/// address only).
public record CommandSettings(
        long maxMemoryBytes,
        long mostMemoryBytes,
        long mostKeptBytes,
        int maxKeyBytes,
        int maxValueBytes,
        long slowlogLogSlowerThanMicros,
        int slowlogMaxLen,
        long latencyMonitorThresholdMillis,
        String debugCommand,
        String flushCommand) {}
