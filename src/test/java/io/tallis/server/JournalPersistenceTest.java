package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.config.Config;
import io.tallis.config.ConfigLoader;
import io.tallis.config.Given;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.TurnLog;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Randomness;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The log line of a start that finds no counters: the operator may have given the wrong directory, even if that is not
/// empty.
@Timeout(60)
final class JournalPersistenceTest {
    private static final String NO_COUNTERS = "; no counters were found in ";

    private final Randomness randomness = Randomness.secure();

    @TempDir
    private Path dir;

    @Test
    void load_ofAMountWithoutCounters_logsThatThereAreNone() throws IOException {
        Files.createDirectory(dir.resolve("lost+found"));

        assertThat(howLoaded(dir)).isEqualTo(NO_COUNTERS + dir);
    }

    @Test
    void load_afterARefusedStart_logsThatThereAreNone() throws IOException {
        open(dir, newKeyspace()).discard();
        assertThat(dir.resolve("node")).exists();

        assertThat(howLoaded(dir)).isEqualTo(NO_COUNTERS + dir);
    }

    @Test
    void load_ofADirectoryWithoutCounters_logsThatThereAreNone() {
        howLoaded(dir);

        assertThat(howLoaded(dir)).isEqualTo(NO_COUNTERS + dir);
    }

    @Test
    void load_ofADatabaseWithCounters_logsNothingMore() {
        countAndStop();

        assertThat(howLoaded(dir)).isEmpty();
    }

    @Test
    void load_withAJournal_logsItsBytes(@TempDir Path copy) throws IOException {
        Keyspace keyspace = newKeyspace();
        JournalPersistence running = open(dir, keyspace);
        running.load();
        count(keyspace, running);
        copyJournal(copy);
        running.close(() -> {});

        assertThat(howLoaded(copy)).matches("; replayed \\d+ bytes of the journal, written since the last checkpoint");
    }

    /// The files after a crash before the first checkpoint.
    private void copyJournal(Path copy) throws IOException {
        Files.copy(dir.resolve("node"), copy.resolve("node"));
        Path journal = Files.createDirectory(copy.resolve("journal"));
        try (Stream<Path> segments = Files.list(dir.resolve("journal"))) {
            // Spare files are being made and renamed meanwhile.
            for (Path segment :
                    segments.filter(file -> file.toString().endsWith(".log")).toList()) {
                Files.copy(segment, journal.resolve(segment.getFileName()));
            }
        }
    }

    private void countAndStop() {
        Keyspace keyspace = newKeyspace();
        JournalPersistence persistence = open(dir, keyspace);
        persistence.load();
        count(keyspace, persistence);
        assertThat(persistence.close(() -> {})).isTrue();
    }

    private static void count(Keyspace keyspace, JournalPersistence persistence) {
        TurnLog turns = persistence.newTurnLog();
        new Counters(keyspace, turns).add(Key.of(new byte[] {'a'}), 1);
        var written = new CompletableFuture<Void>();
        turns.commit(new TurnLog.Outcome() {
            @Override
            public void written() {
                written.complete(null);
            }

            @Override
            public void lost() {
                written.completeExceptionally(new IOException("lost"));
            }
        });
        written.join();
    }

    private String howLoaded(Path where) {
        JournalPersistence persistence = open(where, newKeyspace());
        persistence.load();
        String how = persistence.howLoaded();
        persistence.close(() -> {});
        return how;
    }

    private JournalPersistence open(Path where, Keyspace keyspace) {
        Config config = ConfigLoader.load(
                null,
                Map.of(),
                List.of(
                        new Given("dir", List.of(where.toString()), "test"),
                        new Given("journal-segment-size", List.of("1mb"), "test")));
        return JournalPersistence.open(config, keyspace, Clock.system(), randomness);
    }

    private Keyspace newKeyspace() {
        return new Keyspace(
                new Replicas(new ReplicaId(randomness.nextLong(), randomness.nextLong())), randomness, () -> 1_000_000);
    }
}
