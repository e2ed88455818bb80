package io.tallis.keyspace;

import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The folds that this node has made.
///
/// They are part of what a start has to find again, at their place among the rows of cells: a *note* of each is
/// recorded in the journal before it takes effect, and the database has all notes. A note is the fold in its wire form.
/// The page `folding.md` explains folds.
///
/// Any thread may call.
public final class Folds {
    private final Replicas replicas;

    /// In the order in which they were made.
    private final Map<ReplicaId, Fold> made = new LinkedHashMap<>();

    private volatile long hash;

    /// The numbers of the members of a fold that is being prepared.
    private volatile @Nullable BitSet closing;

    private volatile boolean disturbed;

    private volatile boolean loading;

    Folds(Replicas replicas) {
        this.replicas = replicas;
    }

    /// Adds a fold that was made: a start found its note, or the journal has it now.
    public synchronized void take(Fold fold) {
        if (!has(fold.id())) {
            replicas.addFold(fold.id(), fold.members());
            made.put(fold.id(), fold);
            hash += mixed(fold.id().low());
        }
    }

    private static long mixed(long bits) {
        long mixed = (bits ^ bits >>> 32) * 0xD6E8FEB86659FD93L;
        return mixed ^ mixed >>> 29;
    }

    /// All notes, one behind the other, for [#takeAll].
    public byte[] notes() {
        ByteWriter out = new ByteWriter(64);
        made().forEach(fold -> fold.write(out));
        return out.toByteArray();
    }

    public void takeAll(byte[] notes) throws MalformedException {
        ByteReader in = ByteReader.of(notes);
        while (in.remaining() > 0) {
            take(Fold.read(in));
        }
    }

    /// A start begins to load cells, or has ended that ([Keyspace#loaded]). Until all are loaded a cell may have a part
    /// of its members' shards, and the rest comes in other rows: the larger of two sums of parts is not the sum of all.
    public void loading(boolean loading) {
        this.loading = loading;
    }

    boolean isLoading() {
        return loading;
    }

    // What is known

    /// All folds that were made, in their order: the folds among the members of one come before it.
    public synchronized List<Fold> made() {
        return List.copyOf(made.values());
    }

    /// A hash that is equal on nodes that have made the same folds; 0 for none.
    public long hash() {
        return hash;
    }

    /// The node whose sessions a fold stands for; null if the fold is not known.
    public synchronized @Nullable UUID nodeOf(ReplicaId fold) {
        Fold known = made.get(fold);
        return known == null ? null : known.node();
    }

    public synchronized boolean has(ReplicaId fold) {
        return made.containsKey(fold);
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

    /// What a member of the fold that is being prepared counted has grown.
    void disturb() {
        disturbed = true;
    }

    /// Whether what a member counted has grown since [#close].
    public boolean isDisturbed() {
        return disturbed;
    }
}
