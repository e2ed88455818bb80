package io.tallis.journal.recovery;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import io.tallis.journal.disk.Failures;
import io.tallis.journal.log.LogFrame;
import io.tallis.journal.log.NoteRow;
import io.tallis.journal.log.OwnerRow;
import io.tallis.journal.log.SegmentReader;
import io.tallis.journal.log.Segments;
import io.tallis.journal.log.TimeRow;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Merges;
import io.tallis.wire.ByteReader;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.NavigableSet;

/// The replay of the journal at a start: merges its rows into the keyspace.
///
/// Every segment with a successor must be complete up to the end that its successor names. Only the last one may end in
/// an incomplete frame, in a file of full size, and only behind the highest durable mark found in it. Anything else is
/// damage, and the start fails.
public final class Replay {
    private final Segments segments;
    private final Keyspace keyspace;
    private final Loading loading;
    private final Replicas replicas;
    private final Merges merges;
    private final CellCodec codec;
    private final Cell counter = new Cell();
    private final Key key = new Key();

    /// When the rows that come next were recorded.
    private long asOf;

    public Replay(Segments segments, Keyspace keyspace, Loading loading) {
        this.segments = segments;
        this.keyspace = keyspace;
        this.loading = loading;
        replicas = keyspace.replicas();
        merges = new Merges(keyspace, ChangeLog.NONE);
        codec = new CellCodec(replicas);
    }

    /// Where the journal ends: the number of its last segment, and how much of that one counts.
    public record End(long segment, long offset) {}

    /// Merges the segments from `first` on, of which none is missing. There are none in a new directory.
    public End run(long first) throws IOException {
        NavigableSet<Long> numbers = segments.numbers().tailSet(first, true);
        if (numbers.isEmpty()) {
            return new End(0, 0);
        }
        for (long number : numbers.headSet(numbers.last())) {
            try (SegmentReader segment = SegmentReader.open(segments, number)) {
                segment.eachTo(SegmentReader.endOf(segments, number), () -> merge(segment));
            }
        }
        try (SegmentReader last = SegmentReader.open(segments, numbers.last())) {
            return new End(numbers.last(), replayLast(last));
        } finally {
            // What was young when it was written may have been copied since.
            keyspace.age();
            keyspace.age();
        }
    }

    private long replayLast(SegmentReader segment) throws IOException {
        segment.requireFullSize();
        while (segment.next()) {
            merge(segment);
        }
        long end = segment.offset();
        SegmentReader.Tail tail = segment.tailFrom(end);
        if (tail.highestMark() > end) {
            throw segment.damaged(
                    "damaged at offset " + end + ", though all before " + tail.highestMark() + " had been synced");
        }
        if (!tail.isEmpty()) {
            loading.cut();
            Failures.LOG.log(
                    Level.WARNING,
                    "the journal is cut at " + segment.at(end) + ", where an incomplete write begins" + lossOf(tail));
        }
        segment.makeDurable(end);
        Failures.LOG.log(
                Level.DEBUG,
                "the journal ends in segment {0} at {1}",
                segment.head().number(),
                end);
        return end;
    }

    /// The end of a process cuts short its last write. Complete writes behind an incomplete one are left only by the
    /// end of the machine, or by damage.
    private static String lossOf(SegmentReader.Tail tail) {
        return tail.whole() == 0
                ? ": it was not acknowledged, unless the machine stopped too, or the file was damaged since"
                : ", and " + tail.whole()
                        + " complete ones behind it are left out with it: they were not synced when the machine"
                        + " stopped, or the file was damaged since. Acknowledged changes among them are lost, except"
                        + " for what other nodes have";
    }

    private void merge(SegmentReader segment) throws IOException {
        ByteReader rows = segment.rows();
        int owner = replicas.numberOf(segment.head().session());
        loading.replayed(LogFrame.HEADER + rows.remaining());
        try {
            while (rows.remaining() > 0) {
                if (TimeRow.isNext(rows)) {
                    asOf = TimeRow.read(rows);
                    continue;
                }
                if (NoteRow.isNext(rows)) {
                    keyspace.folds().takeAll(NoteRow.read(rows));
                    continue;
                }
                if (OwnerRow.isNext(rows)) {
                    owner = replicas.numberOf(OwnerRow.read(rows));
                    continue;
                }
                CounterType type = codec.decodeKey(rows);
                key.set(type, rows.array(), codec.keyOffset(), codec.keyLength());
                codec.decode(rows, type, owner, counter);
                Counter.Merged _ = merges.mergeAgain(key, counter, asOf);
            }
        } catch (MalformedException e) {
            throw segment.damaged("malformed rows at offset " + segment.offset() + ": " + e.getMessage());
        }
    }
}
