package io.tallis.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.runtime.Clock;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import java.time.Duration;
import java.util.List;

/// What it takes until a member that was absent has what changed meanwhile.
///
/// Absent is a process that stands still: it neither hears nor answers, and comes back with the memory that it had. The
/// kernel keeps for it what comes until its sockets' buffers are full. So the counters change again and again until it
/// drops something, and then once more: that has to be fetched.
final class Heal implements Measure {
    private static final Floor BYTES_FLOOR = Floor.valueAtMost(1.5);

    /// A node publishes its figures five times a second.
    private static final long PUBLISHED_MILLIS = 500;

    private static final Duration LONGEST_FILLING = Duration.ofMinutes(2);
    private static final long QUIET_MILLIS = 2_000;

    @Override
    public String name() {
        return "heal";
    }

    /// One kind after the other: six servers with many keys are more than most machines hold.
    @Override
    public void take(Lab lab, Results results) {
        int keys = lab.sizes().fills().getLast();
        for (ServerKind kind : lab.kinds()) {
            try (Group group = new Group(kind, kind.replication().quiet(), Lab.Groups.SIZE, lab.directory())) {
                group.fill(keys);
                for (int round = 1; round <= lab.rounds(); round++) {
                    for (int wanted : lab.sizes().cluster().changed()) {
                        int changed = Math.min(wanted, keys);
                        Healing healing = sample(lab, group, changed);
                        add(group, changed, healing, results);
                        lab.say(
                                "heal, %s of %s, round %d, %s: %.0f ms, %.0f bytes",
                                Keys.count(changed),
                                Keys.count(keys),
                                round,
                                kind.side().title(),
                                healing.millis(),
                                healing.bytes());
                    }
                }
                group.audit();
            }
        }
    }

    /// How long it took, and how many bytes all members sent for it; 0 of Redis.
    private record Healing(double millis, double bytes) {}

    private static void add(Group group, int changed, Healing healing, Results results) {
        String point = Keys.count(changed) + " of " + Keys.count(group.keys());
        results.add(new Metric("heal", point + ", time", "ms"), group.side(), healing.millis());
        if (group.side() == Side.TALLIS) {
            double perCounter = healing.bytes() / changed;
            results.add(Metric.ofTallis("heal", point + ", bytes sent", "B/key", Floor.NONE), Side.TALLIS, perCounter);
            results.add(
                    Metric.ofTallis("heal", point + ", by entries", "x", BYTES_FLOOR),
                    Side.TALLIS,
                    perCounter / entryBytes());
        }
    }

    private static Healing sample(Lab lab, Group group, int changed) {
        Subject absent = group.members().getLast();
        List<Subject> present = group.members().subList(0, group.members().size() - 1);
        List<Subject> writers =
                group.writers().stream().filter(present::contains).toList();
        double quiet = quietBytesPerMilli(group);
        long absentSent = repairBytes(List.of(absent));
        long sentBefore;
        Clock clock = Clock.system();
        long returns = clock.nanos() + lab.sizes().cluster().absence().toNanos();
        absent.server().suspend();
        try {
            fillBuffers(absent, writers, changed);
            Group.change(writers, changed);
            group.awaitAgreement(present);
            Group.mark(writers);
            Waiting.pause(Math.max(PUBLISHED_MILLIS, (returns - clock.nanos()) / 1_000_000));
            sentBefore = absentSent + repairBytes(present);
        } finally {
            absent.server().resume();
        }
        long back = clock.nanos();
        group.awaitMarks(writers);
        double millis = (clock.nanos() - back) / 1e6;
        Waiting.pause(PUBLISHED_MILLIS);
        double sent = repairBytes(group.members()) - sentBefore - quiet * (clock.nanos() - back) / 1e6;
        group.awaitAgreement(group.members());
        return new Healing(millis, sent);
    }

    /// Changes these counters again and again until what comes for the absent member is dropped. Redis sends by
    /// connections, which drop nothing.
    private static void fillBuffers(Subject absent, List<Subject> writers, int changed) {
        if (absent.side() == Side.REDIS) {
            return;
        }
        SocketDrops drops = new SocketDrops(absent.server().pid());
        long before = drops.count();
        Waiting.until("the kernel drops what comes for an absent node", LONGEST_FILLING, () -> {
            Group.change(writers, changed);
            return drops.count() > before;
        });
    }

    /// What the group sends for no cause.
    private static double quietBytesPerMilli(Group group) {
        Waiting.pause(PUBLISHED_MILLIS);
        long before = repairBytes(group.members());
        Waiting.pause(QUIET_MILLIS);
        return (double) (repairBytes(group.members()) - before) / QUIET_MILLIS;
    }

    /// By the servers' own account; Redis counts nothing that could be compared.
    static long sentBytes(List<Subject> members) {
        return members.stream()
                .filter(member -> member.side() == Side.TALLIS)
                .mapToLong(member -> bytes(member, "cluster_bytes_out"))
                .sum();
    }

    /// Without what the rotation sends, which comes in bursts and whether or not anybody was absent.
    private static long repairBytes(List<Subject> members) {
        return sentBytes(members)
                - members.stream()
                        .filter(member -> member.side() == Side.TALLIS)
                        .mapToLong(member -> bytes(member, "rotation_bytes_out"))
                        .sum();
    }

    private static long bytes(Subject member, String field) {
        return Long.parseLong(member.server().admin().info(field));
    }

    /// What a changed counter takes at least: its type, its key, and the shard of the node that changed it.
    private static int entryBytes() {
        byte[] key = Keys.name(0).getBytes(US_ASCII);
        Cell counter = new Cell().clear(CounterType.PNCOUNT);
        boolean _ = counter.add(Replicas.OWN, 1);
        ByteWriter out = new ByteWriter(0);
        CellCodec codec = new CellCodec(new Replicas(new ReplicaId(1, 1)));
        codec.encodeKey(CounterType.PNCOUNT, key, 0, key.length, out);
        codec.encodeOnly(counter, Replicas.OWN, out);
        return out.position();
    }
}
