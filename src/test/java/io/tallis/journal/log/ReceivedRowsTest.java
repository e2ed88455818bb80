package io.tallis.journal.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterGen;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.journal.disk.Faults;
import io.tallis.journal.disk.SimulatedDisk;
import io.tallis.journal.recovery.Loading;
import io.tallis.journal.recovery.Replay;
import io.tallis.keyspace.CellInserter;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Merges;
import io.tallis.keyspace.ReceivedCell;
import io.tallis.runtime.Clock;
import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Rows in which shards without an id belong to different replicas: replay gives each to the right one.
final class ReceivedRowsTest {
    private static final int OTHERS = 3;
    private static final int SEGMENT = 1 << 12;
    private static final int LONG_KEY = 30_000;

    private int carried;

    @Test
    void replay_ofRowsOfSeveralOwners_findsTheCountersOfEach() {
        Property.forAll(gen -> {
            Writer writer = new Writer(gen.pick(0, 20, 80));
            for (int turns = gen.between(1, 4); turns > 0; turns--) {
                for (int changes = gen.between(0, 30); changes > 0; changes--) {
                    writer.change(gen);
                }
                writer.endTurns(gen);
            }

            Keyspace next = writer.replay();

            for (int number = 0; number < Keyspace.PARTITIONS; number++) {
                if (writer.keyspace.cells(number) + next.cells(number) > 0) {
                    assertThat(next.digest(number)).isEqualTo(writer.keyspace.digest(number));
                }
            }
            carried += writer.carried;
        });

        assertThat(carried).isPositive();
    }

    private static final class Writer {
        private final Faults faults = new Faults();
        private final SimulatedDisk disk = new SimulatedDisk(faults);
        private final Replicas replicas = new Replicas(new ReplicaId(5, 5));
        private final Keyspace keyspace = new Keyspace(replicas, () -> 7, () -> 1_000_000);
        private final TurnLogs logs = new TurnLogs(replicas);
        private final BufferedTurnLog turns = (BufferedTurnLog) logs.newLog();
        private final BufferedTurnLog turnsOfClients = (BufferedTurnLog) logs.newLog();
        private final Counters counters = new Counters(keyspace, turns);
        private final Counters clients = new Counters(keyspace, turnsOfClients);
        private final CellInserter inserter = new CellInserter(keyspace, turns);
        private final CellCodec codec = new CellCodec(replicas);
        private final LogWriter log;
        private final int longKeys;
        private int carried;

        private Writer(int longKeys) {
            this.longKeys = longKeys;
            for (int other = 1; other <= OTHERS; other++) {
                int _ = replicas.numberOf(new ReplicaId(9 - other, other));
            }
            try {
                log = new LogWriter(segments(), replicas.own(), () -> 17, 1, 0);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        private Segments segments() throws IOException {
            return new Segments(disk, new JournalSettings(null, SEGMENT, SEGMENT, 10));
        }

        private void change(Gen gen) {
            Key key = key(gen);
            CounterType type = CounterGen.type(gen);
            switch (gen.between(0, 3)) {
                case 0 -> clients.increment(key, 1);
                case 1 -> clients.delete(key);
                default -> tell(key, counter(gen, type), gen.between(1, OTHERS));
            }
        }

        private Key key(Gen gen) {
            // Some of these, and a turn has several parts.
            String name = "k" + gen.between(0, 50) + (gen.chance(longKeys) ? "x".repeat(LONG_KEY) : "");
            return Key.of(name.getBytes(StandardCharsets.US_ASCII));
        }

        private static Cell counter(Gen gen, CounterType type) {
            Cell counter = new Cell().clear(type);
            for (int replica = gen.between(1, OTHERS); replica <= OTHERS; replica += gen.between(1, 2)) {
                counter.counts().put(counter.counts().append(replica), Counter.P, 0, gen.between(1, 1_000));
            }
            return counter;
        }

        private void tell(Key key, Cell counter, int owner) {
            ByteWriter frame = new ByteWriter(64);
            codec.encodeKey(counter.type(), key.array(), key.offset(), key.length(), frame);
            codec.encode(counter, owner, frame);
            ReceivedCell cell = new ReceivedCell();
            try {
                cell.next(ByteReader.of(frame.toByteArray()), codec, owner);
            } catch (MalformedException e) {
                throw new AssertionError(e);
            }
            if (inserter.insertNew(new ReceivedCell[] {cell}, 1) > 0) {
                new Merges(counters.keyspace(), counters.log()).merge(key, counter);
            }
        }

        /// Turns of both are written one behind the other, sometimes with those that come next.
        private void endTurns(Gen gen) {
            List<BufferedTurnLog> all =
                    gen.chance(50) ? List.of(turns, turnsOfClients) : List.of(turnsOfClients, turns);
            all.forEach(log -> log.commit(new Told()));
            if (gen.chance(60)) {
                write(gen.between(0, 2));
            }
        }

        private void write(int way) {
            try {
                for (Turn turn = logs.inbox().takeAll(); turn != null; turn = turn.next) {
                    log.add(turn.rows.array(), turn.bytes());
                }
                switch (way) {
                    case 0 -> log.flush();
                    case 1 -> log.moveOn();
                    default -> writeWhenASyncFails();
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        /// What is not surely on the disk is then carried into another segment.
        private void writeWhenASyncFails() throws IOException {
            log.write();
            faults.restart((_, operation) -> operation.contains("sync") ? Faults.Fate.FAILS : Faults.Fate.GOOD);
            try {
                log.sync();
            } catch (IOException _) {
                carried++;
            }
            faults.restart((_, _) -> Faults.Fate.GOOD);
            log.flush();
        }

        private Keyspace replay() {
            write(0);
            Keyspace next = new Keyspace(new Replicas(new ReplicaId(6, 6)), () -> 8, () -> 1_000_000);
            try {
                new Replay(segments(), next, new Loading(Clock.system())).run(1);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return next;
        }
    }
}
