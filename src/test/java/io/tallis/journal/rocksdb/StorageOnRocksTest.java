package io.tallis.journal.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.journal.FsyncPolicy;
import io.tallis.journal.JournalSettings;
import io.tallis.journal.Storage;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.TurnLog;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Live;
import io.tallis.runtime.Randomness;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StorageOnRocksTest {
    private final Randomness randomness = Randomness.secure();

    @TempDir
    private Path dir;

    @Test
    void restart_afterClose_hasEveryCount() throws Exception {
        try (Node node = new Node(dir)) {
            node.add("a", 5);
            node.add("a", 6);
        }

        try (Node node = new Node(dir)) {
            assertThat(node.value("a")).isEqualTo(11);
            node.add("a", 1);
            node.storage.checkpoint();
            node.add("a", 1);
        }

        try (Node node = new Node(dir)) {
            assertThat(node.value("a")).isEqualTo(13);
        }
    }

    private final class Node implements AutoCloseable {
        final Keyspace keyspace = new Keyspace(
                new Replicas(new ReplicaId(randomness.nextLong(), randomness.nextLong())), randomness);
        final Storage storage;
        final TurnLog log;
        final Counters counters;

        Node(Path dir) throws IOException {
            storage = Storage.open(
                    new JournalSettings(dir, 1 << 20, 1 << 22, 10),
                    Live.fixed(FsyncPolicy.ALWAYS),
                    RocksCellStore::open,
                    keyspace,
                    Clock.system(),
                    randomness);
            storage.load();
            log = storage.newTurnLog();
            counters = new Counters(keyspace, log);
        }

        void add(String key, long amount) throws Exception {
            counters.add(Key.of(key.getBytes(StandardCharsets.UTF_8)), amount);
            var written = new CompletableFuture<Void>();
            log.commit(new TurnLog.Outcome() {
                @Override
                public void written() {
                    written.complete(null);
                }

                @Override
                public void lost() {
                    written.completeExceptionally(new IOException("lost"));
                }
            });
            written.get();
        }

        long value(String key) {
            counters.read(CounterType.PNCOUNT, Key.of(key.getBytes(StandardCharsets.UTF_8)));
            return counters.value();
        }

        @Override
        public void close() throws IOException {
            storage.close();
        }
    }
}
