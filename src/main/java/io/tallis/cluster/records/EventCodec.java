package io.tallis.cluster.records;

import io.tallis.crdt.ReplicaId;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// The form of events in frames. All events of a frame are of its sender.
///
/// ```
/// version of this form (1) | UUID of the node (16) | its name | event | event | ...
///
/// event    milliseconds since 1970 | number | text
/// ```
final class EventCodec {
    private static final int FORM = 1;
    private static final long MOST_MILLIS = 1L << 48;

    private EventCodec() {}

    /// Writes a body with these events of one session.
    static byte[] write(UUID node, String name, List<Event> events) {
        ByteWriter out = new ByteWriter(64 + events.size() * 64);
        out.u8(FORM);
        out.i64(node.getMostSignificantBits());
        out.i64(node.getLeastSignificantBits());
        Texts.write(name, out);
        for (Event event : events) {
            out.varint(event.epochMillis());
            out.varint(event.number());
            Texts.write(event.text(), out);
        }
        return out.toByteArray();
    }

    /// Reads the events of a body that came from `session`; throws, and returns none, if any is malformed.
    static List<Event> read(ReplicaId session, ByteReader in) throws MalformedException {
        int form = in.u8();
        if (form != FORM) {
            throw new MalformedException("events of form " + form + ", expected " + FORM);
        }
        UUID node = new UUID(in.i64(), in.i64());
        String name = Texts.read(NodeRecord.MOST_NAME_CHARS, in);
        List<Event> events = new ArrayList<>();
        while (in.remaining() > 0) {
            long millis = bounded(in.varint(), "time");
            long number = bounded(in.varint(), "number");
            events.add(new Event(millis, node, name, session, number, Texts.read(Event.MOST_CHARS, in)));
        }
        return events;
    }

    private static long bounded(long value, String what) throws MalformedException {
        if (value < 0 || value > MOST_MILLIS) {
            throw new MalformedException(
                    "an event whose " + what + " is out of range: " + Long.toUnsignedString(value));
        }
        return value;
    }
}
