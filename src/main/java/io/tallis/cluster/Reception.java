package io.tallis.cluster;

import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.TooManyReplicasException;
import io.tallis.keyspace.KeyspaceFullException;
import io.tallis.wire.ByteReader;
import io.tallis.wire.MalformedException;
import org.jspecify.annotations.Nullable;

/// Takes frames in: checks them, and hands each to the part that it is for.
///
/// Changes, cells that are sent again, and questions about changes and their answers are taken from whomever they come,
/// since views tell late who is back; requests of a pull from who was present once; and of absent sessions' beats how
/// much those have. All else is taken from present sessions only.
final class Reception {
    private final Parts parts;
    private final Sessions sessions;
    private final MeteredTransport meter;
    private final int newestVersion;

    /// Those that frames are for.
    record Parts(
            Sessions sessions,
            Intake intake,
            Gaps gaps,
            Answers answers,
            Pulls pulls,
            Provider provider,
            Beats beats,
            Leftovers leftovers,
            Gossip gossip,
            Sender sender,
            Refused refused,
            MergeRoom room) {}

    Reception(Parts parts, MeteredTransport meter, int newestVersion) {
        this.parts = parts;
        this.meter = meter;
        this.newestVersion = newestVersion;
        sessions = parts.sessions;
    }

    void frame(ReplicaId from, byte[] bytes, long now) {
        if (from.equals(sessions.self())) {
            return;
        }
        meter.received(from, bytes);
        try {
            Frame frame = Frame.read(bytes, newestVersion);
            if (!frame.session().equals(from)) {
                throw new BadFrameException(DropReason.OTHER_SENDER, "a frame of " + frame.session());
            }
            take(frame, now);
        } catch (BadFrameException bad) {
            parts.refused.frame(from, bad.reason(), bad);
        } catch (MalformedException malformed) {
            parts.refused.frame(from, DropReason.MALFORMED, malformed);
        } catch (KeyspaceFullException _) {
            parts.refused.foundNoMemory();
            parts.room.refused();
        } catch (TooManyReplicasException _) {
            parts.refused.foundNoMemory();
            parts.room.ranOut();
        }
    }

    private void take(Frame frame, long now) throws MalformedException {
        Progress progress = sessions.progress(frame.session());
        progress.heard(frame.head());
        Peer peer = sessions.present(frame.session());
        if (peer == null) {
            sessions.hears(progress, now);
        } else {
            peer.heard(frame.head(), now);
        }
        if (frame.kind().bringsCells() && !parts.room.isLeft()) {
            parts.refused.foundNoMemory();
            return;
        }
        try {
            take(frame, progress, peer, now);
        } catch (MalformedException | KeyspaceFullException | TooManyReplicasException e) {
            // Cells before the one that is wrong are merged, and all but those that find no room.
            progress.hasUnnumbered();
            throw e;
        }
    }

    private void take(Frame frame, Progress progress, @Nullable Peer peer, long now) throws MalformedException {
        switch (frame.kind()) {
            case DELTA -> onDelta(progress, frame);
            case CELLS_AGAIN -> onCellsAgain(progress, frame);
            case ASK -> parts.answers.onAsk(frame.session(), frame.body(), now);
            case ANSWER -> {
                parts.gaps.onAnswer(progress, frame.body(), now);
                parts.leftovers.look(progress);
            }
            case VECTOR_ASK, SUMS_ASK, LEAVES_ASK, PULL -> {
                if (progress.wasInView()) {
                    provide(frame);
                }
            }
            default -> {
                if (peer != null) {
                    takeFromPresent(peer, frame, now);
                } else if (frame.kind() == Kind.BEAT) {
                    sessions.earshot().hears(frame.session(), Beat.read(frame.body()));
                }
            }
        }
    }

    private void provide(Frame frame) throws MalformedException {
        ByteReader in = frame.body();
        ReplicaId from = frame.session();
        switch (frame.kind()) {
            case VECTOR_ASK -> parts.beats.onVectorAsk(from);
            case SUMS_ASK -> parts.provider.onSumsAsk(from, in);
            case LEAVES_ASK -> parts.provider.onLeavesAsk(from, in);
            case PULL -> parts.provider.onPull(from, in);
            default -> throw new IllegalArgumentException("no request: " + frame.kind());
        }
    }

    private void takeFromPresent(Peer peer, Frame frame, long now) throws MalformedException {
        ByteReader in = frame.body();
        ReplicaId from = peer.session();
        switch (frame.kind()) {
            case BEAT -> onBeat(peer, frame, now);
            case VECTOR -> parts.beats.onVector(peer, in);
            case SUMS -> parts.pulls.onSums(from, in, now);
            case LEAVES -> parts.pulls.onLeaves(from, in, now);
            case CELLS -> parts.pulls.onCells(from, in, now);
            case HAS -> has(peer, new Known(in.varint(), 0));
            case NODES -> parts.gossip.onNodes(in);
            case EVENTS -> parts.gossip.onEvents(from, in);
            case DELTA, CELLS_AGAIN, ASK, ANSWER, VECTOR_ASK, SUMS_ASK, LEAVES_ASK, PULL -> {}
        }
    }

    /// Nobody is believed to have what was not sent: then those who wait for others would be told what is not so.
    private void has(Peer peer, Known told) {
        if (new Known(parts.sender.head(), sessions.news()).covers(told)) {
            peer.has(told);
        } else {
            parts.refused.knowsTheFuture(peer.session());
        }
    }

    private void onDelta(Progress progress, Frame frame) throws MalformedException {
        int gained = parts.intake.mergeRest(progress.session(), frame.body());
        if (progress.merged(frame.head())) {
            parts.intake.advanced(progress);
        }
        if (gained > 0) {
            parts.leftovers.look(progress);
        }
    }

    private void onCellsAgain(Progress progress, Frame frame) throws MalformedException {
        if (parts.intake.mergeRest(progress.session(), frame.body()) > 0) {
            progress.hasUnnumbered();
            parts.leftovers.look(progress);
        }
    }

    private void onBeat(Peer peer, Frame frame, long now) throws MalformedException {
        Beat beat = Beat.read(frame.body());
        if (peer.beat() == null && beat.state() == JoinState.SEEKING) {
            parts.beats.soonForJoiner();
        }
        if (peer.told(beat)) {
            has(peer, beat.vector().of(sessions.self()));
            parts.gossip.onBeat(peer.session(), beat, now);
            parts.sender.version(sessions.versionOfAll(newestVersion));
        }
        if (beat.urgent()) {
            Progress progress = sessions.progress(peer.session());
            progress.tellWhenAt(frame.head());
            parts.beats.tellIfWanted(progress);
        }
    }
}
