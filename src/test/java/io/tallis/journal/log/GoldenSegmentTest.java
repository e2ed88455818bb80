package io.tallis.journal.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.journal.disk.DiskFile;
import io.tallis.journal.disk.Faults;
import io.tallis.journal.disk.SimulatedDisk;
import io.tallis.journal.recovery.Loading;
import io.tallis.journal.recovery.Replay;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.ReceivedCell;
import io.tallis.runtime.Clock;
import io.tallis.testing.Golden;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/// The bytes of a segment, which every later version must be able to read.
final class GoldenSegmentTest {
    private static final ReplicaId SESSION = new ReplicaId(0x0123456789ABCDEFL, 0xFEDCBA9876543210L);
    private static final long SALT = 0x5A17;
    private static final String GOLDEN = "journal-segment-v5";
    private static final long DEADLINE = 1_800_000_000_000L;
    private static final int HALF_SEGMENT = 1 << 10;

    private final SimulatedDisk disk = new SimulatedDisk(new Faults());

    @Test
    void segment_withChangesOfEveryKind_hasTheGoldenBytes() throws Exception {
        Replicas replicas = new Replicas(SESSION);
        Keyspace keyspace = new Keyspace(replicas, () -> 7, () -> 1_000_000);
        TurnLogs logs = new TurnLogs(replicas);
        BufferedTurnLog turns = (BufferedTurnLog) logs.newLog();
        Counters counters = new Counters(keyspace, turns);
        JournalSettings settings = new JournalSettings(null, HALF_SEGMENT, HALF_SEGMENT, 10);
        LogWriter log = new LogWriter(new Segments(disk, settings), SESSION, () -> SALT, 1, 0);
        counters.add(key("visits"), 300);
        counters.grow(key("pages"), -1L);
        write(logs, turns, log);
        log.sync();
        counters.delete(CounterType.PNCOUNT, key("visits"));
        turns.recordReceived(toldByAnother("likes", replicas));
        counters.add(key("visits"), 1);
        counters.assign(key("title"), "front page".getBytes(StandardCharsets.US_ASCII), 0, 10, DEADLINE);

        write(logs, turns, log);

        byte[] written = Arrays.copyOf(disk.contentOf(Segments.nameOf(1)), (int) log.bytesWritten());
        Golden.check(GOLDEN, written);
    }

    private static ReceivedCell toldByAnother(String name, Replicas replicas) throws MalformedException {
        int another = replicas.numberOf(new ReplicaId(0x1111, 0x2222));
        CellCodec codec = new CellCodec(replicas);
        Cell counter = new Cell();
        counter.add(another, 7);
        ByteWriter frame = new ByteWriter(64);
        codec.encodeKey(CounterType.PNCOUNT, key(name).array(), 0, name.length(), frame);
        codec.encode(counter, another, frame);
        ReceivedCell cell = new ReceivedCell();
        cell.next(ByteReader.of(frame.toByteArray()), codec, another);
        return cell;
    }

    @Test
    void replay_ofTheGoldenBytes_findsTheCounters() throws IOException {
        Counters counters = replay();

        assertThat(counters.read(CounterType.GCOUNT, key("pages"))).isTrue();
        assertThat(counters.value()).isEqualTo(-1L);
        assertThat(counters.read(CounterType.PNCOUNT, key("visits"))).isTrue();
        assertThat(counters.value()).isEqualTo(1);
        assertThat(counters.read(CounterType.PNCOUNT, key("likes"))).isTrue();
        Replicas replicas = counters.keyspace().replicas();
        assertThat(counters.cell().counts().find(replicas.numberOf(new ReplicaId(0x1111, 0x2222))))
                .isZero();
        assertThat(counters.value()).isEqualTo(7);
        assertThat(counters.read(CounterType.PNCOUNT, key("title"))).isTrue();
        assertThat(counters.cell().hasText()).isTrue();
        assertThat(counters.cell().life().deadline()).isEqualTo(DEADLINE);
        assertThat(counters.keyspace().cells()).isEqualTo(4);
    }

    private Counters replay() throws IOException {
        try (DiskFile file = disk.create(Segments.nameOf(1))) {
            file.write(ByteBuffer.wrap(Arrays.copyOf(Golden.bytes(GOLDEN), HALF_SEGMENT)), 0);
        }
        Keyspace keyspace = new Keyspace(new Replicas(new ReplicaId(1, 1)), () -> 7, () -> 1_000_000);
        Segments segments = new Segments(disk, new JournalSettings(null, HALF_SEGMENT, HALF_SEGMENT, 10));
        new Replay(segments, keyspace, new Loading(Clock.system())).run(1);
        return new Counters(keyspace, ChangeLog.NONE);
    }

    private static void write(TurnLogs logs, BufferedTurnLog turns, LogWriter log) throws IOException {
        turns.commit(new Told());
        for (Turn turn = logs.inbox().takeAll(); turn != null; turn = turn.next) {
            log.add(turn.rows.array(), turn.bytes());
        }
        log.flush();
    }

    private static Key key(String name) {
        return Key.of(name.getBytes(StandardCharsets.US_ASCII));
    }
}
