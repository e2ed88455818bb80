package io.tallis.bench;

import java.util.List;
import java.util.OptionalDouble;

/// How servers of one kind come to be a group that holds the same counters.
interface Replication {
    /// What to start as the next member, given those that run.
    ServerKind next(List<Subject> members);

    /// The same, with as little traffic of its own accord as can be set.
    Replication quiet();

    /// Those that take writes.
    List<Subject> writers(List<Subject> members);

    /// Whether a member that answers has all that the others had when it started.
    boolean joined(Subject member);

    /// The bytes that came to a member to fill it.
    long bytesToJoin(Subject member);

    /// How long these took, from the first question to the last of them; empty where the member does not tell.
    OptionalDouble secondsOfTransfer(Subject member);
}
