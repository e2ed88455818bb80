package io.tallis.cluster.records;

import io.tallis.cluster.records.NodeRecord.Life;
import io.tallis.cluster.records.NodeRecord.Session;
import io.tallis.crdt.ReplicaId;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/// The form of node records in frames and on disk.
///
/// ```
/// version of this form (1) | record | record | ...
///
/// record   UUID (16) | forgotten up to | session | state (1) | name | addresses | n | n sessions
/// session  version | replica id (16)
/// ```
///
/// Versions and counts are varints; a text is its length in bytes and UTF-8. The first session is the newest of the
/// node. The n sessions are any of the node: a record with many sessions is written as several records, which merge.
final class NodeRecordCodec {
    static final int FORM = 1;

    /// A record with so many sessions fits into a frame.
    static final int SESSIONS_IN_A_PART = 1024;

    private NodeRecordCodec() {}

    /// Writes the records into bodies of about `mostBytes` at most; one empty body if there are no records.
    static List<byte[]> pieces(Iterable<NodeRecord> records, int mostBytes) {
        List<byte[]> pieces = new ArrayList<>();
        ByteWriter piece = begun();
        ByteWriter part = new ByteWriter(256);
        for (NodeRecord record : records) {
            List<Session> all = record.sessions();
            for (int from = 0; from < all.size(); from += SESSIONS_IN_A_PART) {
                part.clear();
                write(record, all.subList(from, Math.min(all.size(), from + SESSIONS_IN_A_PART)), part);
                if (piece.position() > 1 && piece.position() + part.position() > mostBytes) {
                    pieces.add(piece.toByteArray());
                    piece = begun();
                }
                piece.bytes(part.array(), 0, part.position());
            }
        }
        pieces.add(piece.toByteArray());
        return pieces;
    }

    /// Writes a body with one record and its newest `mostSessions` sessions.
    static byte[] one(NodeRecord record, int mostSessions) {
        ByteWriter body = begun();
        write(record, NodeRecord.newestOf(record.sessions(), mostSessions), body);
        return body.toByteArray();
    }

    private static ByteWriter begun() {
        ByteWriter body = new ByteWriter(256);
        body.u8(FORM);
        return body;
    }

    private static void write(NodeRecord record, List<Session> sessions, ByteWriter out) {
        Life life = record.newest();
        out.i64(record.uuid().getMostSignificantBits());
        out.i64(record.uuid().getLeastSignificantBits());
        out.varint(record.forgottenUpTo());
        write(life.session(), out);
        out.u8(life.state().code());
        Texts.write(life.name(), out);
        life.addresses().write(out);
        out.varint(sessions.size());
        sessions.forEach(session -> write(session, out));
    }

    private static void write(Session session, ByteWriter out) {
        out.varint(session.version());
        out.i64(session.id().high());
        out.i64(session.id().low());
    }

    /// Reads the records of a body; throws, and returns none, if any is malformed.
    static List<NodeRecord> read(ByteReader in) throws MalformedException {
        int form = in.u8();
        if (form != FORM) {
            throw new MalformedException("node records of form " + form + ", expected " + FORM);
        }
        List<NodeRecord> records = new ArrayList<>();
        while (in.remaining() > 0) {
            records.add(record(in));
        }
        return records;
    }

    private static NodeRecord record(ByteReader in) throws MalformedException {
        UUID uuid = new UUID(in.i64(), in.i64());
        long forgottenUpTo = version(in);
        Life life = life(in);
        NodeRecord record = NodeRecord.of(uuid, life);
        int count = in.count(1 + 2 * Long.BYTES);
        if (count > NodeRecord.MOST_SESSIONS) {
            throw new MalformedException(
                    "a record of " + count + " sessions, expected at most " + NodeRecord.MOST_SESSIONS);
        }
        List<Session> sessions = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            sessions.add(notBeyond(life.session(), session(in)));
        }
        return record.merge(new NodeRecord(uuid, life, sessions, forgottenUpTo));
    }

    private static Life life(ByteReader in) throws MalformedException {
        Session session = session(in);
        NodeState state = NodeState.of(in.u8());
        String name = Texts.read(NodeRecord.MOST_NAME_CHARS, in);
        return new Life(session, state, name, Addresses.read(in));
    }

    private static Session session(ByteReader in) throws MalformedException {
        long version = version(in);
        if (version == 0) {
            throw new MalformedException("a session of version 0");
        }
        return new Session(version, new ReplicaId(in.i64(), in.i64()));
    }

    private static Session notBeyond(Session newest, Session session) throws MalformedException {
        if (session.compareTo(newest) > 0) {
            throw new MalformedException("session " + session + " after the newest one, which is " + newest);
        }
        return session;
    }

    private static long version(ByteReader in) throws MalformedException {
        long version = in.varint();
        if (version < 0 || version > NodeRecord.MOST_VERSION) {
            throw new MalformedException("a node of version " + Long.toUnsignedString(version));
        }
        return version;
    }
}
