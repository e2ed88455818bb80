package io.tallis.cluster.peer;

import io.tallis.crdt.ReplicaId;

/// How far this node is with the changes of one other session.
///
///     merged    all frames up to this one are in memory              has     and in the journal
///     beyond    frames in memory that came ahead of missing ones     heard   the last that the session told of
public final class Progress {
    private final ReplicaId session;
    private final Ranges beyond = new Ranges();
    private long merged;
    private long heard;
    private long news;
    private Known has = Known.NOTHING;

    private boolean hasAhead;
    private long partsUpTo;
    private boolean hasUnnumbered;
    private long behindSince = Long.MAX_VALUE;
    private long toldWhenAt;
    private long lastTold;

    public Progress(ReplicaId session) {
        this.session = session;
    }

    public ReplicaId session() {
        return session;
    }

    public long merged() {
        return merged;
    }

    /// What is in memory.
    public Known known() {
        return new Known(merged, news);
    }

    /// What a crash of this process would leave: all that may be told to others.
    public Known has() {
        return has;
    }

    public void journalled(Known known) {
        has = has.larger(known);
    }

    /// The session has sent frames up to this one.
    public void heard(long head) {
        heard = Math.max(heard, head);
    }

    /// A frame was merged. Returns whether anything is new by it.
    public boolean merged(long number) {
        long before = merged;
        if (number <= merged) {
            return false;
        }
        if (!beyond.add(number)) {
            hasPartsUpTo(number);
        }
        merged = beyond.advance(merged);
        hasAhead |= number > merged;
        return merged != before;
    }

    /// All of the session's own changes up to there are merged, whichever way they came.
    public void reached(Known known) {
        merged = beyond.advance(Math.max(merged, known.frames()));
        news = Math.max(news, known.news());
        heard = Math.max(heard, merged);
    }

    /// Something of the session's was merged that no number tells of until `merged` gets there.
    void hasPartsUpTo(long number) {
        partsUpTo = Math.max(partsUpTo, number);
    }

    /// Cells of the session were merged as they were at the time, without a number: what it had not sent yet may be in
    /// them, and others' changes, and nobody can tell from then on.
    public void hasUnnumbered() {
        hasUnnumbered = true;
    }

    /// Whether this node knows something through the session that its vector does not tell others.
    public boolean knowsMoreThanItTells() {
        return (hasAhead && !beyond.isEmpty()) || partsUpTo > merged || hasUnnumbered;
    }

    /// Of what others may lack they hear otherwise than by this session's numbers.
    public void partsAreNews() {
        hasAhead = false;
        partsUpTo = 0;
        hasUnnumbered = false;
    }

    /// Takes note of the time, and returns since when frames have been missing; [Long#MAX_VALUE] when none are.
    public long behindSince(long now) {
        if (heard <= merged) {
            behindSince = Long.MAX_VALUE;
        } else if (behindSince == Long.MAX_VALUE) {
            behindSince = now;
        }
        return behindSince;
    }

    /// What was missing came, by an answer: whatever is missing next has been so since then only.
    public void caughtUp() {
        behindSince = Long.MAX_VALUE;
    }

    /// The session waits to hear that this node has all up to `frame`.
    public void tellWhenAt(long frame) {
        toldWhenAt = Math.max(toldWhenAt, frame);
    }

    /// Whether the session waits to hear of more than the journal has.
    public boolean isWaitedFor() {
        return toldWhenAt > has.frames();
    }

    /// Whether the session is to be told now: whenever there is more while it waits, since several may wait there, each
    /// for another frame. Says so once.
    boolean isToBeTold() {
        if (toldWhenAt == 0 || (has.frames() < toldWhenAt && has.frames() <= lastTold)) {
            return false;
        }
        if (has.frames() >= toldWhenAt) {
            toldWhenAt = 0;
        }
        lastTold = has.frames();
        return true;
    }
}
