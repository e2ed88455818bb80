package io.tallis.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/// Servers that replicate to each other, and what must be in each of them after all that was sent to any.
///
/// The first one takes writes whatever the kind; a group begins empty.
final class Group implements AutoCloseable {
    private static final Duration LONGEST_MEETING = Duration.ofMinutes(3);
    private static final String WAIT_MILLIS = "1000";
    private static final long PAUSE_MILLIS = 50;

    private final ServerKind kind;
    private final Replication replication;
    private final Path parent;
    private final List<Subject> members = new ArrayList<>();
    private long keys;
    private long sumOfRemoved;

    /// Starts so many members, one after the other, in directories below `parent`.
    Group(ServerKind kind, Replication replication, int size, Path parent) {
        this.kind = kind;
        this.replication = replication;
        this.parent = parent;
        try {
            for (int i = 0; i < size; i++) {
                add();
            }
            awaitLinks();
        } catch (RuntimeException failure) {
            close();
            throw failure;
        }
    }

    Side side() {
        return kind.side();
    }

    List<Subject> members() {
        return List.copyOf(members);
    }

    Subject first() {
        return members.getFirst();
    }

    List<Subject> writers() {
        return replication.writers(members);
    }

    long keys() {
        return keys;
    }

    /// Starts another member; returns when it has all that the others had.
    Subject add() {
        Subject member = new Subject(replication.next(members), Fsync.EVERYSEC, parent);
        members.add(member);
        Waiting.until(side().title() + " has joined the others", LONGEST_MEETING, () -> {
            boolean joined = replication.joined(member);
            if (!joined) {
                // Who asks all the time takes from the joiner what it measures.
                Waiting.pause(PAUSE_MILLIS);
            }
            return joined;
        });
        return member;
    }

    private void awaitLinks() {
        String others = Integer.toString(members.size() - 1);
        for (Subject writer : writers()) {
            Waiting.until(side().title() + " knows " + others + " others", LONGEST_MEETING, () -> {
                Waiting.pause(PAUSE_MILLIS);
                return writer.server().admin().info("connected_slaves").equals(others);
            });
        }
    }

    /// Stops a member for good. Redis does not stop while it writes its first log, so it has to be done with that.
    void remove(Subject member) {
        member.kind().prepareRestart(member.server());
        members.remove(member);
        sumOfRemoved += member.sum();
        try (member) {
            member.server().stop();
        }
        awaitLinks();
    }

    /// The bytes that came to a member to fill it.
    long bytesToJoin(Subject member) {
        return replication.bytesToJoin(member);
    }

    /// How long these took, where the member tells.
    OptionalDouble secondsOfTransfer(Subject member) {
        return replication.secondsOfTransfer(member);
    }

    /// Makes keys 0 to `count` - 1 by the first member, each worth 1, and waits until all have them.
    void fill(long count) {
        first().fill(count);
        keys = count;
        awaitAgreement(members);
    }

    /// Notes that so many further keys have been made.
    void grow(long count) {
        keys += count;
    }

    /// Increments the counters numbered 0 to `count` - 1, each of these writers an equal part of them.
    static void change(List<Subject> writers, long count) {
        long part = count / writers.size();
        for (int i = 0; i < writers.size(); i++) {
            long from = i * part;
            long upTo = i == writers.size() - 1 ? count : from + part;
            writers.get(i).change(upTo - from, number -> from + number);
        }
    }

    /// Leaves a last change with each of these, for which [#awaitMarks] waits.
    static void mark(List<Subject> writers) {
        for (Subject writer : writers) {
            writer.server().admin().call("INCRBY", Keys.name(0), "1");
            writer.expect(Workload.INCRBY, 1);
        }
    }

    /// Waits until all have what these had changed when they were marked.
    void awaitMarks(List<Subject> writers) {
        String others = Integer.toString(members.size() - 1);
        for (Subject writer : writers) {
            Waiting.until(
                    side().title() + " tells that all have its changes",
                    LONGEST_MEETING,
                    () -> writer.server()
                            .admin()
                            .call("WAIT", others, WAIT_MILLIS)
                            .equals(others));
        }
    }

    /// Waits until these hold the same counters.
    void awaitAgreement(List<Subject> subjects) {
        Waiting.until(side().title() + " agrees with the others", LONGEST_MEETING, () -> {
            boolean agreed = subjects.stream()
                            .map(subject -> subject.server().admin().call("DEBUG", "DIGEST"))
                            .distinct()
                            .count()
                    == 1;
            if (!agreed) {
                Waiting.pause(PAUSE_MILLIS);
            }
            return agreed;
        });
    }

    /// Throws unless all hold the same counters, and these add up to all that was sent.
    void audit() {
        awaitAgreement(members);
        long sum = sumOfRemoved + members.stream().mapToLong(Subject::sum).sum();
        first().audit(keys, sum);
    }

    @Override
    public void close() {
        members.forEach(Subject::close);
    }
}
