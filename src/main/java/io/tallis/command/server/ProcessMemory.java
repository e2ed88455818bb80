package io.tallis.command.server;

/// The memory of the process.
public interface ProcessMemory {
    long heapUsedBytes();

    long heapMaxBytes();

    /// What the process occupies of the machine, 0 when the system does not tell.
    long residentBytes();

    /// The most that counters ever took.
    long peakBytes();

    void collectGarbage();
}
