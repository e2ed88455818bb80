/// The comparison with Redis behind `scripts/bench`: starts both servers, measures them side by side, prints
/// ratios.
///
/// Owns the processes it starts, their data below one directory, and the load that it makes; all are gone when it
/// ends. Knows of Tallis only what any client knows, except where it asks the JVM for its live heap.
///
/// Threads: one takes the measures; each load runs on an event loop of its own while that one waits.
///
/// Groups of servers are measured by [Visibility], [Heal], [Join], [GroupWrites], [GroupMemory] and [Idle]; see
/// [Group] with [Replication].
///
/// Read [Bench], [Measure] with [Throughput], then [Lab], [Subject] and [ServerUnderTest]; the load generators are
/// [RedisBenchmark], [PipelinedLoad], [PacedLoad] and [BackgroundLoad].
@NullMarked
package io.tallis.bench;

import org.jspecify.annotations.NullMarked;
