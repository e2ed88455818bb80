package io.tallis.bench;

/// Something worth knowing about a server, taken in the same way from all sides, in alternating rounds.
interface Measure {
    /// The name by which it is asked for.
    String name();

    /// Adds a sample a round for every side to the results; throws [BenchException] when that cannot be done.
    void take(Lab lab, Results results);
}
