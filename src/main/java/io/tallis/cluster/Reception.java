package io.tallis.cluster;

import io.tallis.cluster.delta.Answers;
import io.tallis.cluster.delta.Gaps;
import io.tallis.cluster.delta.Intake;
import io.tallis.cluster.delta.Leftovers;
import io.tallis.cluster.delta.MergeRoom;
import io.tallis.cluster.frame.BadFrameException;
import io.tallis.cluster.frame.DropReason;
import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.MeteredTransport;
import io.tallis.cluster.frame.Sender;
import io.tallis.cluster.peer.Beat;
import io.tallis.cluster.peer.Beats;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Known;
import io.tallis.cluster.peer.Peer;
import io.tallis.cluster.peer.Progress;
import io.tallis.cluster.peer.Sessions;
import io.tallis.cluster.pull.Provider;
import io.tallis.cluster.pull.Pulls;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.TooManyReplicasException;
import io.tallis.keyspace.KeyspaceFullException;
import io.tallis.wire.ByteReader;
import io.tallis.wire.MalformedException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Takes frames in: checks them, notes that their sender is reachable, and hands each to the part that it is for.
final class Reception {
    private final Parts parts;
    private final Sessions sessions;
    private final MeteredTransport meter;
    private final int newestVersion;

    /// The parts that frames are for. `newPeer` is called when a session becomes reachable; `takesCells` tells whether
    /// cells may be merged yet, see [Joining#takesCells].
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
            MergeRoom room,
            Consumer<Peer> newPeer,
            BooleanSupplier takesCells) {}

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
        Peer peer = reachable(frame, now);
        if (peer == null) {
            return;
        }
        if (frame.kind().bringsCells()) {
            if (!parts.takesCells.getAsBoolean()) {
                return;
            }
            if (!parts.room.isLeft()) {
                parts.refused.foundNoMemory();
                return;
            }
        }
        try {
            take(frame, peer, progress, now);
        } catch (MalformedException | KeyspaceFullException | TooManyReplicasException e) {
            // Cells before the malformed one are merged, and so are all that found room.
            progress.hasUnnumbered();
            throw e;
        }
    }

    private @Nullable Peer reachable(Frame frame, long now) {
        boolean isNew = !sessions.peers().isReachable(frame.session());
        Peer peer = sessions.peers().heard(frame.session(), frame.head(), now);
        if (isNew && peer != null) {
            parts.newPeer.accept(peer);
        }
        return peer;
    }

    private void take(Frame frame, Peer peer, Progress progress, long now) throws MalformedException {
        ByteReader in = frame.body();
        ReplicaId from = frame.session();
        switch (frame.kind()) {
            case DELTA -> onDelta(progress, frame);
            case CELLS_AGAIN -> onCellsAgain(progress, frame);
            case BEAT -> onBeat(peer, frame, now);
            case ASK -> parts.answers.onAsk(from, in, now);
            case ANSWER -> {
                parts.gaps.onAnswer(progress, in, now);
                parts.leftovers.look(progress);
            }
            case VECTOR_ASK -> parts.beats.onVectorAsk(from);
            case VECTOR -> parts.beats.onVector(peer, in);
            case SUMS_ASK -> parts.provider.onSumsAsk(from, in);
            case SUMS -> parts.pulls.onSums(from, in, now);
            case LEAVES_ASK -> parts.provider.onLeavesAsk(from, in);
            case LEAVES -> parts.pulls.onLeaves(from, in, now);
            case PULL -> parts.provider.onPull(from, in);
            case CELLS -> parts.pulls.onCells(from, in, now);
            case HAS -> has(peer, new Known(in.varint(), 0));
            case NODES -> parts.gossip.onNodes(in);
            case EVENTS -> parts.gossip.onEvents(from, in);
        }
    }

    /// A peer that tells to have frames which were never sent is not believed: `WAIT` would count it.
    private void has(Peer peer, Known told) {
        if (!new Known(parts.sender.head(), sessions.news()).covers(told)) {
            parts.refused.knowsTheFuture(peer.session());
        } else {
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

    private void onBeat(Peer peer, Frame frame, long now) throws MalformedException {
        Beat beat = Beat.read(frame.body());
        if (peer.beat() == null && beat.state() == JoinState.SEEKING) {
            parts.beats.soonForJoiner();
        }
        if (peer.take(beat)) {
            has(peer, beat.vector().of(sessions.self()));
            parts.gossip.onBeat(peer.session(), beat, now);
            parts.sender.version(sessions.peers().versionOfAll(newestVersion));
        }
        if (beat.urgent()) {
            Progress progress = sessions.progress(peer.session());
            progress.tellWhenAt(frame.head());
            parts.beats.tellIfWanted(progress);
        }
    }
}
