package io.tallis.command;

import static java.lang.Thread.State.TERMINATED;
import static java.lang.Thread.State.WAITING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tallis.crdt.Cell;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.runtime.Threads;
import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A bug in the middle of a change ends the process before a client or the journal can get half of the change (I8).
final class HalfDoneTest {
    private final FakeServer server = new FakeServer();
    private final FakeClient client = server.connect();
    private final List<Throwable> ends = new ArrayList<>();
    private List<String> journalAtTheEnd = List.of();
    private boolean lockedAtTheEnd;

    @BeforeEach
    void listen() {
        server.settings(new CommandSettings(
                Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, 65_535, 65_536, 10_000, 128, 0, "yes", "no"));
        Thread.currentThread().setUncaughtExceptionHandler((_, mistake) -> {
            if (ends.isEmpty()) {
                journalAtTheEnd = List.copyOf(server.journal());
                lockedAtTheEnd = isLocked("a");
            }
            ends.add(mistake);
        });
    }

    @AfterEach
    void listenNoMore() {
        Thread.currentThread().setUncaughtExceptionHandler(null);
    }

    @Test
    void errorWithinATransaction_endsTheProcessWithLocksHeldAndTheGroupOpen() {
        client.says("MULTI");
        client.says("INCR a");
        client.says("DEBUG PANIC");
        client.says("INCR b");

        assertThatThrownBy(() -> client.says("EXEC")).isInstanceOf(AssertionError.class);

        assertThat(ends).isNotEmpty();
        assertThat(lockedAtTheEnd).isTrue();
        assertThat(journalAtTheEnd).containsExactly("begin", "PNCOUNT a");
    }

    @Test
    void exceptionBetweenTheStepsOfAChange_endsTheProcess() {
        BitSet partitions = new BitSet();
        partitions.set(server.keyspace().partitionOf(key("a")));

        assertThatThrownBy(() -> AtomicSection.run(client.client(), partitions, () -> {
                    client.client().counters().add(key("a"), 1);
                    throw new IllegalStateException("made by a test");
                }))
                .isInstanceOf(AssertionError.class);

        assertThat(ends).singleElement().isInstanceOf(IllegalStateException.class);
        assertThat(lockedAtTheEnd).isTrue();
        assertThat(journalAtTheEnd).containsExactly("begin", "PNCOUNT a");
    }

    @Test
    void refusalWithinATransaction_doesNotEndTheProcess() {
        client.says("MULTI");
        client.says("INCR a");
        client.says("INCRBY a 9223372036854775807");

        assertThat(client.says("EXEC")).contains("overflow");

        assertThat(ends).isEmpty();
    }

    @Test
    void changeThatCannotBeRecorded_endsTheProcessWithTheLockHeld() {
        Counters counters = new Counters(server.keyspace(), new FullLog());

        assertThatThrownBy(() -> counters.add(key("a"), 1)).isInstanceOf(OutOfMemoryError.class);

        assertThat(ends).singleElement().isInstanceOf(OutOfMemoryError.class);
        assertThat(lockedAtTheEnd).isTrue();
    }

    @Test
    void assertionErrorInAnyCommand_endsTheProcess() {
        assertThatThrownBy(() -> client.says("DEBUG PANIC")).isInstanceOf(AssertionError.class);

        assertThat(ends).hasSize(1);
    }

    /// Whether the key's partition is locked.
    private boolean isLocked(String name) {
        Counters others = new Counters(server.keyspace(), ChangeLog.NONE);
        Thread reader = Threads.start("reader", () -> others.exists(key(name)));
        await().dontCatchUncaughtExceptions()
                .until(() -> reader.getState() == WAITING || reader.getState() == TERMINATED);
        return reader.getState() == WAITING;
    }

    private static Key key(String name) {
        return Key.of(name.getBytes(StandardCharsets.US_ASCII));
    }

    /// A change log without memory for rows.
    private static final class FullLog implements ChangeLog {
        @Override
        public void record(Key key, Cell counter, boolean whole) {
            throw new OutOfMemoryError("made by a test");
        }

        @Override
        public void beginGroup() {}

        @Override
        public void endGroup() {}
    }
}
