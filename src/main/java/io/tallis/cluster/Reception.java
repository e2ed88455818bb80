package io.tallis.cluster;

import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.TooManyReplicasException;
import io.tallis.keyspace.KeyspaceFullException;
import io.tallis.wire.ByteReader;
import io.tallis.wire.MalformedException;

/// Takes frames in: checks them, and hands each to the part that it is for.
///
/// Changes, cells that are sent again, and questions about changes and their answers are taken from whomever they come,
/// since views tell late who is back; and beats, of those of absent sessions only how much they have. Other requests
/// are taken from who was present once, all else from who is.
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
            peer.heard(frame.head(), sessions.isSilent(peer), now);
        }
        if (!isWanted(frame.kind(), progress)) {
            return;
        }
        if (frame.kind().bringsCells() && !parts.room.isLeft()) {
            parts.refused.foundNoMemory();
            return;
        }
        try {
            take(frame, progress, now);
        } catch (MalformedException | KeyspaceFullException | TooManyReplicasException e) {
            // Cells before the one that is wrong are merged, and all but those that find no room.
            progress.hasUnnumbered();
            throw e;
        }
    }

    private void take(Frame frame, Progress progress, long now) throws MalformedException {
        ByteReader in = frame.body();
        ReplicaId from = frame.session();
        switch (frame.kind()) {
            case DELTA -> onDelta(progress, frame);
            case CELLS_AGAIN -> onCellsAgain(progress, frame);
            case BEAT -> onBeat(frame, now);
            case ASK -> parts.answers.onAsk(from, in, now);
            case ANSWER -> {
                parts.gaps.onAnswer(progress, in, now);
                parts.leftovers.look(progress);
            }
            case VECTOR_ASK -> parts.beats.onVectorAsk(from);
            case VECTOR -> parts.beats.onVector(from, in);
            case SUMS_ASK -> parts.provider.onSumsAsk(from, in);
            case SUMS -> parts.pulls.onSums(from, in, now);
            case LEAVES_ASK -> parts.provider.onLeavesAsk(from, in);
            case LEAVES -> parts.pulls.onLeaves(from, in, now);
            case PULL -> parts.provider.onPull(from, in);
            case CELLS -> parts.pulls.onCells(from, in, now);
            case HAS -> has(from, new Known(in.varint(), 0));
            case NODES -> parts.gossip.onNodes(in);
            case EVENTS -> parts.gossip.onEvents(from, in);
        }
    }

    private boolean isWanted(Kind kind, Progress sender) {
        return switch (kind) {
            case DELTA, CELLS_AGAIN, BEAT, ASK, ANSWER -> true;
            case VECTOR_ASK, SUMS_ASK, LEAVES_ASK, PULL -> sender.wasInView();
            case VECTOR, SUMS, LEAVES, CELLS, HAS, NODES, EVENTS -> sessions.isPresent(sender.session());
        };
    }

    /// Nobody is believed to have what was not sent: then those who wait for others would be told what is not so.
    private void has(ReplicaId session, Known told) {
        Peer peer = sessions.present(session);
        if (!new Known(parts.sender.head(), sessions.news()).covers(told)) {
            parts.refused.knowsTheFuture(session);
        } else if (peer != null) {
            peer.has(told);
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

    private void onBeat(Frame frame, long now) throws MalformedException {
        Beat beat = Beat.read(frame.body());
        Peer peer = sessions.present(frame.session());
        if (peer == null) {
            sessions.earshot().hears(frame.session(), beat);
            return;
        }
        if (peer.beat() == null && beat.state() == JoinState.SEEKING) {
            parts.beats.soonForJoiner();
        }
        if (peer.told(beat)) {
            has(peer.session(), beat.vector().of(sessions.self()));
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
