package io.tallis.keyspace;

import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.CellCodec;
import io.tallis.wire.MalformedException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The folds that this node has made, and the one that it has promised to make.
///
/// Both are part of what a start has to find again, at their place among the rows of cells: a *note* of each is
/// recorded
/// in the journal before it takes effect, and the database has the notes of all. The page `folding.md` says why.
///
/// ```
/// note     1 | fold                                      folded: its shards are the sums of its members' here
///          2 | fold                                      folded: its shards come from other nodes
///          3 | fold | node (16) | session (16)           promised to the session of that node
///          4                                             the promise ends
/// ```
///
/// Any thread may call.
public final class Folds {
    private static final int SUMMED = 1;
    private static final int FROM_OTHERS = 2;
    private static final int PROMISED = 3;
    private static final int PROMISE_ENDS = 4;

    private final Replicas replicas;
    private final List<Fold> made = new ArrayList<>();
    private final List<Replicas.Origin> origins = new ArrayList<>();
    private @Nullable Promise promise;
    private volatile long hash;

    /// The numbers of the members of a fold that is being prepared.
    private volatile @Nullable BitSet closing;

    private volatile boolean disturbed;

    Folds(Replicas replicas) {
        this.replicas = replicas;
    }

    /// What was promised, and to which node and session.
    public record Promise(Fold fold, UUID node, ReplicaId session) {}

    // Notes

    /// The note that a fold was made.
    public static byte[] note(Fold fold, Replicas.Origin origin) {
        ByteWriter out = new ByteWriter(64);
        out.u8(origin == Replicas.Origin.SUM ? SUMMED : FROM_OTHERS);
        fold.write(out);
        return out.toByteArray();
    }

    public static byte[] note(Promise promise) {
        ByteWriter out = new ByteWriter(64);
        out.u8(PROMISED);
        promise.fold.write(out);
        out.i64(promise.node.getMostSignificantBits());
        out.i64(promise.node.getLeastSignificantBits());
        CellCodec.encodeId(promise.session, out);
        return out.toByteArray();
    }

    public static byte[] noteOfPromiseEnd() {
        return new byte[] {PROMISE_ENDS};
    }

    /// Takes note: of what a start found, or what has just been recorded.
    public synchronized void take(byte[] note) throws MalformedException {
        takeNext(ByteReader.of(note));
    }

    private void takeNext(ByteReader in) throws MalformedException {
        int kind = in.u8();
        switch (kind) {
            case SUMMED -> made(Fold.read(in), Replicas.Origin.SUM);
            case FROM_OTHERS -> made(Fold.read(in), Replicas.Origin.OTHERS);
            case PROMISED -> promise = new Promise(Fold.read(in), new UUID(in.i64(), in.i64()), CellCodec.decodeId(in));
            case PROMISE_ENDS -> promise = null;
            default -> throw new MalformedException("a note of a fold of kind " + kind);
        }
    }

    private void made(Fold fold, Replicas.Origin origin) {
        if (has(fold.id())) {
            return;
        }
        replicas.addFold(fold.id(), fold.members(), origin);
        made.add(fold);
        origins.add(origin);
        hash += mixed(fold.id().low());
        if (promise != null && promise.fold.id().equals(fold.id())) {
            promise = null;
        }
    }

    private static long mixed(long bits) {
        long mixed = (bits ^ bits >>> 32) * 0xD6E8FEB86659FD93L;
        return mixed ^ mixed >>> 29;
    }

    /// The notes of all that is known now, one behind the other, for [#takeAll].
    public synchronized byte[] notes() {
        ByteWriter out = new ByteWriter(64);
        for (int i = 0; i < made.size(); i++) {
            append(note(made.get(i), origins.get(i)), out);
        }
        if (promise != null) {
            append(note(promise), out);
        }
        return out.toByteArray();
    }

    private static void append(byte[] note, ByteWriter out) {
        out.bytes(note, 0, note.length);
    }

    /// Takes what [#notes] gave, in place of a promise that may be known.
    public synchronized void takeAll(byte[] notes) throws MalformedException {
        promise = null;
        ByteReader in = ByteReader.of(notes);
        while (in.remaining() > 0) {
            takeNext(in);
        }
    }

    // What is known

    /// All folds that were made, in their order: the folds among the members of one come before it.
    public synchronized List<Fold> made() {
        return List.copyOf(made);
    }

    /// A hash that is equal on nodes that have made the same folds; 0 for none.
    public long hash() {
        return hash;
    }

    public synchronized boolean has(ReplicaId fold) {
        return made.stream().anyMatch(known -> known.id().equals(fold));
    }

    @Nullable
    public synchronized Promise promise() {
        return promise;
    }

    // A fold that is being prepared

    /// From now on what the members of this fold counted may not grow: a merge by which it does is noticed.
    public void close(Fold fold) {
        BitSet numbers = new BitSet();
        fold.members().forEach(member -> numbers.set(replicas.numberOf(member)));
        disturbed = false;
        closing = numbers;
    }

    /// No fold is being prepared any more.
    public void open() {
        closing = null;
    }

    boolean isClosing(int replica) {
        BitSet numbers = closing;
        return numbers != null && numbers.get(replica);
    }

    boolean closes() {
        return closing != null;
    }

    /// What a member of the fold that is being prepared counted is about to grow: a promise of it ends before that.
    synchronized void disturb(ChangeLog log) {
        disturbed = true;
        if (promise != null) {
            log.recordNote(noteOfPromiseEnd());
            promise = null;
        }
    }

    /// Whether what a member counted has grown since [#close].
    public boolean isDisturbed() {
        return disturbed;
    }
}
