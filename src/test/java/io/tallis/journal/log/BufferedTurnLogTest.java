package io.tallis.journal.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
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
    private static final int LARGE_KEY = 60_000;
    private static final TurnLog.Outcome NOBODY = new TurnLog.Outcome() {
        @Override
        public void written() {}

        @Override
        public void lost() {}
    };

    private final TurnStack inbox = new TurnStack();
    private final BufferedTurnLog log = new BufferedTurnLog(new Replicas(new ReplicaId(1, 1)), inbox, () -> {});

    @Test
    void writtenTurns_areUsedAgain() {
        Turn first = turn(100);
        log.takeBack(first, true);
        Turn second = turn(100);
        log.takeBack(second, true);

        assertThat(List.of(turn(100), turn(100))).contains(first);
    }

    @Test
    void keptTurns_takeBoundedMemory() {
        assertThat(bytesKeptOfTurnsOf(LARGE_KEY)).isBetween(BufferedTurnLog.KEPT_BYTES / 2, BufferedTurnLog.KEPT_BYTES);
    }

    @Test
    void keptTurns_areBoundedInNumber() {
        assertThat(reusedOfTurnsOf(100)).hasSize(BufferedTurnLog.KEPT_TURNS);
    }

    /// Turns that come back must be counted even while small ones are left to be used.
    @Test
    void keptTurns_thatGrowOneByOne_takeBoundedMemory() {
        List<Turn> small = new ArrayList<>();
        for (int i = 0; i < BufferedTurnLog.KEPT_TURNS; i++) {
            small.add(turn(100));
        }
        small.forEach(turn -> log.takeBack(turn, true));

        Set<Turn> grown = identitySet();
        for (int i = 0; i < TURNS; i++) {
            Turn turn = turn(LARGE_KEY);
            grown.add(turn);
            log.takeBack(turn, true);
        }

        assertThat(bytesOf(grown, TURNS)).isLessThanOrEqualTo(BufferedTurnLog.KEPT_BYTES);
    }

    @Test
    void veryLargeTurns_areNotKept() {
        Turn large = turn(LARGE_KEY, 20);
        log.takeBack(large, true);

        assertThat(List.of(turn(100), turn(100), turn(100))).doesNotContain(large);
    }

    /// The memory of those of these turns that come back for use.
    private long bytesOf(Set<Turn> turns, int taken) {
        Set<Turn> reused = identitySet();
        for (int i = 0; i < taken; i++) {
            reused.add(turn(100));
        }
        reused.retainAll(turns);
        return reused.stream().mapToLong(Turn::capacity).sum();
    }

    private static Set<Turn> identitySet() {
        return Collections.newSetFromMap(new IdentityHashMap<>());
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
        underWay.forEach(turn -> log.takeBack(turn, true));
        Set<Turn> reused = identitySet();
        for (int i = 0; i < TURNS; i++) {
            reused.add(turn(keyBytes));
        }
        reused.retainAll(underWay);
        return reused;
    }

    private Turn turn(int keyBytes) {
        return turn(keyBytes, 1);
    }

    private Turn turn(int keyBytes, int rows) {
        Cell counter = new Cell().clear(CounterType.GCOUNT);
        counter.counts().grow(Replicas.OWN, 1);
        log.beginGroup();
        for (int i = 0; i < rows; i++) {
            log.record(Key.of(new byte[keyBytes]), counter, true);
        }
        log.endGroup();
        log.commit(NOBODY);
        return inbox.takeAll();
    }
}
