package io.tallis.keyspace;

import static io.tallis.keyspace.Keyspaces.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class HashesTest {
    private final AtomicLong now = new AtomicLong(1_000_000);
    private final Replicas replicas = new Replicas(new ReplicaId(1, 1));
    private final Keyspace keyspace = keyspace(replicas, 1);
    private final Counters counters = new Counters(keyspace, ChangeLog.NONE);
    private final Hashes hashes = counters.hashes();

    private Keyspace keyspace(Replicas replicas, long seed) {
        var random = new java.util.SplittableRandom(seed);
        return new Keyspace(replicas, random::nextLong, now::get);
    }

    @Test
    void fields_ofAHash_shareItsPartitionAndSpreadOverItsLeaves() {
        Set<Integer> partitions = new HashSet<>();
        Set<Integer> leaves = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            Key field = hashes.key(key("h"), bytes("f" + i), 0, ("f" + i).length());
            partitions.add(keyspace.partitionOf(field));
            leaves.add(PartitionDigest.leafOf(field.place(), 7));
            assertThat(PartitionDigest.leafOf(field, 7)).isEqualTo(PartitionDigest.leafOf(field.place(), 7));
        }

        assertThat(partitions).containsExactly(keyspace.partitionOf(key("h")));
        assertThat(leaves).hasSizeGreaterThan(120);
    }

    @Test
    void increments_ofTwoNodes_addUp() {
        Keyspace elsewhere = keyspace(new Replicas(new ReplicaId(2, 2)), 2);
        Counters others = new Counters(elsewhere, ChangeLog.NONE);
        add(counters, "h", "both", 3);
        add(counters, "h", "here", 1);
        add(others, "h", "both", 4);

        copyTo(elsewhere);

        assertThat(others.hashes().length(key("h"))).isEqualTo(2);
        assertThat(others.hashes().read(key("h"), bytes("both"), 0, 4)).isTrue();
        assertThat(others.value()).isEqualTo(7);
        KeyspaceAudit.check(elsewhere);
    }

    @Test
    void delete_ofAHash_leavesWhatTheNodeHasNotSeen() {
        Keyspace elsewhere = keyspace(new Replicas(new ReplicaId(2, 2)), 2);
        Counters others = new Counters(elsewhere, ChangeLog.NONE);
        add(counters, "h", "a", 3);
        copyTo(elsewhere);
        add(others, "h", "a", 5);
        add(others, "h", "new", 1);

        assertThat(counters.delete(key("h"))).isTrue();
        copyTo(elsewhere);

        assertThat(others.hashes().length(key("h"))).isEqualTo(2);
        assertThat(others.hashes().read(key("h"), bytes("a"), 0, 1)).isTrue();
        assertThat(others.value()).isEqualTo(5);
        KeyspaceAudit.check(elsewhere);
    }

    @Test
    void newField_ofAHashWithADeadline_getsIt() {
        add(counters, "h", "a", 1);
        assertThat(counters.expireAt(key("h"), now.get() + 500, (_, _) -> true)).isTrue();

        add(counters, "h", "b", 1);
        hashes.assign(key("h"), bytes("c"), 0, 1, 7);

        assertThat(counters.deadline(key("h"))).isEqualTo(now.get() + 500);
        now.addAndGet(500);
        assertThat(hashes.length(key("h"))).isZero();
        assertThat(counters.exists(key("h"))).isFalse();
        add(counters, "h", "a", 1);
        assertThat(counters.value()).isEqualTo(1);
        assertThat(counters.deadline(key("h"))).isEqualTo(Life.NEVER);
    }

    @Test
    void deadline_ofAHashWithOneUndatedField_isNone() {
        Keyspace elsewhere = keyspace(new Replicas(new ReplicaId(2, 2)), 2);
        Counters others = new Counters(elsewhere, ChangeLog.NONE);
        add(counters, "h", "a", 1);
        assertThat(counters.expireAt(key("h"), now.get() + 500, (_, _) -> true)).isTrue();
        add(others, "h", "unseen", 1);

        copyTo(elsewhere);

        assertThat(others.deadline(key("h"))).isEqualTo(Life.NEVER);
        now.addAndGet(500);
        assertThat(others.hashes().length(key("h"))).isEqualTo(1);
    }

    @Test
    void largeHash_isReadDeletedAndExpiredWhole() {
        int fields = 3 * Hashes.PIECE + 7;
        for (int i = 0; i < fields; i++) {
            add(counters, "h", "f" + i, i + 1);
        }
        add(counters, "other", "f", 1);
        List<Long> values = new ArrayList<>();

        hashes.each(key("h"), (_, _, _, cell) -> values.add(cell.value()));

        assertThat(values.stream().mapToLong(Long::longValue).sum()).isEqualTo(fields * (fields + 1L) / 2);
        assertThat(hashes.length(key("h"))).isEqualTo(fields);
        assertThat(counters.expireAt(key("h"), now.get() + 500, (_, _) -> true)).isTrue();
        assertThat(counters.deadline(key("h"))).isEqualTo(now.get() + 500);
        assertThat(keyspace.dated()).isEqualTo(1);
        assertThat(counters.persist(key("h"))).isTrue();
        assertThat(keyspace.dated()).isZero();
        assertThat(counters.delete(key("h"))).isTrue();
        assertThat(hashes.length(key("h"))).isZero();
        assertThat(keyspace.keys()).isEqualTo(1);
        KeyspaceAudit.check(keyspace);
    }

    @Test
    void deleteOfADeletedHash_recordsItsResetsAgain() {
        List<String> recorded = new ArrayList<>();
        Counters second = new Counters(keyspace, new ChangeLog() {
            @Override
            public void record(Key key, Cell counter, boolean whole) {
                recorded.add(key.toByteArray().length + " " + counter.exists() + " " + whole);
            }

            @Override
            public void beginGroup() {}

            @Override
            public void endGroup() {}
        });
        add(counters, "h", "a", 1);
        add(counters, "h", "b", 1);
        counters.delete(key("h"));

        assertThat(second.delete(key("h"))).isFalse();

        assertThat(recorded).containsExactly("3 false true", "3 false true");
    }

    @Test
    void memory_ofAHashOfAThousandCounters_isBounded() {
        long before = keyspace.bytesUsed();
        for (int i = 0; i < 1_000; i++) {
            add(counters, "hash", "field:" + i, i);
        }

        assertThat((keyspace.bytesUsed() - before) / 1_000).isLessThan(64);
    }

    private static void add(Counters counters, String hash, String field, long delta) {
        assertThat(counters.hashes().increment(key(hash), bytes(field), 0, field.length(), delta))
                .isEqualTo(Counters.Increment.DONE);
    }

    private void copyTo(Keyspace other) {
        Merges merges = new Merges(other, ChangeLog.NONE);
        for (int i = 0; i < Keyspace.PARTITIONS; i++) {
            keyspace.visitAll(i, (type, key, cell) -> {
                assertThat(type).isEqualTo(CounterType.FIELD);
                merges.merge(Key.of(type, key.toByteArray()), Keyspaces.translated(cell, replicas, other.replicas()));
            });
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
