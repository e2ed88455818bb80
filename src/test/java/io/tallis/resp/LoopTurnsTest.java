package io.tallis.resp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.DefaultEventLoop;
import io.tallis.crdt.Cell;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.EntryRing;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.OwnChanges;
import io.tallis.keyspace.StandInTurnLog;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class LoopTurnsTest {
    private final DefaultEventLoop loop = new DefaultEventLoop();
    private int copied;

    @AfterEach
    void endLoop() {
        var _ = loop.shutdownGracefully();
    }

    @Test
    void change_forTheReplicator_isCopiedByTheLogThatHasItsRow() {
        Keyspace keyspace = new Keyspace(new Replicas(new ReplicaId(1, 1)), () -> 7, () -> 1_000_000);
        OwnChanges changes = keyspace.ownChanges();
        changes.track();
        Counters counters = new Counters(keyspace, new LoopTurns(loop, new CountingLog(), () -> {}), changes.newRing());

        counters.add(Key.of("visits".getBytes(StandardCharsets.US_ASCII)), 3);

        assertThat(copied).isEqualTo(1);
    }

    private final class CountingLog extends StandInTurnLog {
        @Override
        protected void committed(Outcome outcome) {}

        @Override
        public boolean copyTo(EntryRing ring, Key key, Cell counter, int stamp) {
            copied++;
            return true;
        }
    }
}
