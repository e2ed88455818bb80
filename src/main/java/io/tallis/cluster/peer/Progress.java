package io.tallis.cluster.peer;

import io.tallis.crdt.ReplicaId;

/// How much of one other session's changes this node has, and whether that session waits for an acknowledgement.
///
/// Each session numbers its DELTA frames 1, 2, 3, ... The numbers up to `merged` are all in memory; `beyond` are those
/// that arrived ahead of a missing one; `head` is the highest that the session is known to have sent:
///
///     frame     1  2  3  4  5  6  7  8  9 10
///               ====durable===            |       in the journal: what this node acknowledges
///               ========merged========            in memory without a gap
///                                   =beyond=      in memory, behind a gap
///                                             head
///
/// Beats and acknowledgements tell others `durable` only: they rely on it when the session dies and when `WAIT` counts
/// nodes, so it must survive a crash of this process (I3). The provider of a pull tells `merged`, since that is what
/// the requester then gets and writes to its own journal.
///
/// *Unnumbered* changes are in memory but above `merged`: frames beyond a gap, and cells from answers and pulls, which
/// are sent as they stand and so may contain changes that no frame has carried yet. No vector covers them.
/// [io.tallis.cluster.delta.OrphanedChanges] takes care of them when the session dies.
public final class Progress {
    private final ReplicaId session;
    private final Ranges beyond = new Ranges();
    private long merged;
    private long head;
    private long news;
    private Known durable = Known.NOTHING;

    /// The three kinds of unnumbered changes: frames in `beyond`; a frame up to which parts were merged though `beyond`
    /// was full; and cells that came without a number.
    private boolean hasBeyond;

    private long partsUpTo;
    private boolean hasCellsWithoutNumber;

    private long missingSince = Long.MAX_VALUE;

    /// The frame of which the session waits for an acknowledgement; 0 when it waits for none.
    private long ackWanted;

    /// The last frame that was acknowledged to it.
    private long lastAcked;

    public Progress(ReplicaId session) {
        this.session = session;
    }

    public ReplicaId session() {
        return session;
    }

    public long merged() {
        return merged;
    }

    /// What is in memory without a gap.
    public Known known() {
        return new Known(merged, news);
    }

    /// What is in the journal, and survives a crash of this process.
    public Known durable() {
        return durable;
    }

    /// The journal has all of `known`.
    public void onDurable(Known known) {
        durable = durable.larger(known);
    }

    /// A frame of the session says that it has sent DELTA frames up to `head`.
    public void onHead(long head) {
        this.head = Math.max(this.head, head);
    }

    /// DELTA frame `number` was merged. Returns whether [#merged] grew by it.
    public boolean onMerged(long number) {
        long before = merged;
        if (number <= merged) {
            return false;
        }
        if (!beyond.add(number)) {
            noteUnnumberedUntil(number);
        }
        merged = beyond.advance(merged);
        hasBeyond |= number > merged;
        return merged != before;
    }

    /// All of `known` is merged, by an answer or a pull.
    public void advanceTo(Known known) {
        merged = beyond.advance(Math.max(merged, known.frames()));
        news = Math.max(news, known.news());
        head = Math.max(head, merged);
    }

    /// Some changes were merged that are unnumbered until `merged` gets to `number`.
    void noteUnnumberedUntil(long number) {
        partsUpTo = Math.max(partsUpTo, number);
    }

    /// Cells of the session were merged that came without a number. They stay unnumbered for good: which frames will
    /// carry their changes is unknown, and changes of other sessions may be in them.
    public void noteUnnumbered() {
        hasCellsWithoutNumber = true;
    }

    public boolean hasUnnumbered() {
        return (hasBeyond && !beyond.isEmpty()) || partsUpTo > merged || hasCellsWithoutNumber;
    }

    /// The unnumbered changes were announced as news.
    public void clearUnnumbered() {
        hasBeyond = false;
        partsUpTo = 0;
        hasCellsWithoutNumber = false;
    }

    /// Since when frames have been missing, as of `now`; [Long#MAX_VALUE] when none are.
    public long missingSince(long now) {
        if (head <= merged) {
            missingSince = Long.MAX_VALUE;
        } else if (missingSince == Long.MAX_VALUE) {
            missingSince = now;
        }
        return missingSince;
    }

    /// An answer brought what was missing: the time of the next gap counts from when it is noticed.
    public void resetMissingSince() {
        missingSince = Long.MAX_VALUE;
    }

    /// The session wants an acknowledgement as soon as `frame` is durable here, since a client of it uses `WAIT`.
    public void requestAck(long frame) {
        ackWanted = Math.max(ackWanted, frame);
    }

    /// Whether the session waits for an acknowledgement of more than is durable.
    public boolean isAckAwaited() {
        return ackWanted > durable.frames();
    }

    /// Whether an acknowledgement has to be sent now; if so it counts as sent. While one is wanted, each advance of the
    /// journal is acknowledged: several clients may wait at the session, each for another frame.
    boolean takeAckDue() {
        if (ackWanted == 0 || (durable.frames() < ackWanted && durable.frames() <= lastAcked)) {
            return false;
        }
        if (durable.frames() >= ackWanted) {
            ackWanted = 0;
        }
        lastAcked = durable.frames();
        return true;
    }
}
