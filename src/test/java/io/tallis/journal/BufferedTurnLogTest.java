package io.tallis.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.TurnLog;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class BufferedTurnLogTest {
    private static final int TURNS = 100;
    private static final TurnLog.Outcome NOBODY = new TurnLog.Outcome() {
        @Override
        public void written() {}

        @Override
        public void lost() {}
    };

    private final Inbox inbox = new Inbox();
    private final BufferedTurnLog log = new BufferedTurnLog(new Replicas(new ReplicaId(1, 1)), inbox, () -> {});

    @Test
    void turns_thatAreWritten_areUsedAgain() {
        Turn first = turn(100);
        log.settled(first, true);
        Turn second = turn(100);
        log.settled(second, true);

        assertThat(List.of(turn(100), turn(100))).contains(first);
    }

    @Test
    void turns_thatAreKept_takeBoundedMemory() {
        assertThat(bytesKeptOfTurnsOf(50_000)).isBetween(1L << 20, 1L << 21);
    }

    @Test
    void turns_thatAreKept_areBoundedInNumber() {
        assertThat(reusedOfTurnsOf(100)).hasSize(64);
    }

    private long bytesKeptOfTurnsOf(int keyBytes) {
        return reusedOfTurnsOf(keyBytes).stream().mapToLong(Turn::capacity).sum();
    }

    /// The turns that come back for use after very many were on their way at once.
    private Set<Turn> reusedOfTurnsOf(int keyBytes) {
        List<Turn> underWay = new ArrayList<>();
        for (int i = 0; i < TURNS; i++) {
            underWay.add(turn(keyBytes));
        }
        underWay.forEach(turn -> log.settled(turn, true));
        Set<Turn> reused = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < TURNS; i++) {
            reused.add(turn(keyBytes));
        }
        reused.retainAll(underWay);
        return reused;
    }

    /// One with a single row.
    private Turn turn(int keyBytes) {
        Counter counter = new Counter().clear(CounterType.GCOUNT);
        counter.grow(Replicas.OWN, 1);
        log.record(Key.of(new byte[keyBytes]), counter, true);
        log.commit(NOBODY);
        return inbox.takeAll();
    }
}
