package io.tallis.cluster;

import io.tallis.cluster.delta.Answers;
import io.tallis.cluster.delta.Gaps;
import io.tallis.cluster.delta.Intake;
import io.tallis.cluster.delta.OrphanedChanges;
import io.tallis.cluster.fold.Folding;
import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.Frame.BadFrameException;
import io.tallis.cluster.frame.Frame.DropReason;
import io.tallis.cluster.frame.Kind;
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
import io.tallis.keyspace.UnknownFoldException;
import io.tallis.wire.ByteReader;
import io.tallis.wire.MalformedException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Checks arriving frames, notes that their sender is reachable, and dispatches each to the part that handles its kind.
final class Reception {
    private final Parts parts;
    private final Sessions sessions;
    private final MeteredTransport meter;
    private final int newestVersion;

    /// The parts that handle frames. `newPeer` is called when a session becomes reachable; `takesCells` is
    /// `Joining.takesCells`; `accepts` is whether cells with this tag of a purge may be merged.
    record Parts(
            Sessions sessions,
            Intake intake,
            Gaps gaps,
            Answers answers,
            Pulls pulls,
            Provider provider,
            Beats beats,
            OrphanedChanges orphans,
            Gossip gossip,
            Sender sender,
            DroppedFrames dropped,
            Consumer<Peer> newPeer,
            BooleanSupplier takesCells,
            IntPredicate accepts,
            Folding folding,
            Predicate<ReplicaId> isFolded,
            TimeOfDay timeOfDay) {}

    Reception(Parts parts, MeteredTransport meter, int newestVersion) {
        this.parts = parts;
        this.meter = meter;
        this.newestVersion = newestVersion;
        sessions = parts.sessions;
    }

    void onFrame(ReplicaId from, byte[] bytes, long now) {
        if (from.equals(sessions.self())) {
            return;
        }
        meter.received(from, bytes);
        try {
            Frame frame = Frame.read(bytes, newestVersion);
            if (!frame.session().equals(from)) {
                throw new BadFrameException(DropReason.OTHER_SENDER, "it names the session " + frame.session());
            }
            take(frame, now);
        } catch (BadFrameException bad) {
            parts.dropped.invalid(from, bad.reason(), bad);
        } catch (MalformedException malformed) {
            parts.dropped.invalid(from, DropReason.MALFORMED, malformed);
        } catch (UnknownFoldException _) {
            parts.dropped.unknownFold();
            parts.intake.onUnknownFold(now);
        } catch (KeyspaceFullException _) {
            parts.dropped.memoryFull();
            parts.intake.onRefusedCell();
        } catch (TooManyReplicasException _) {
            parts.dropped.memoryFull();
            parts.intake.onOutOfReplicaNumbers();
        }
    }

    private void take(Frame frame, long now) throws MalformedException {
        if (parts.isFolded.test(frame.session())) {
            answerFolded(frame);
            return;
        }
        Progress progress = sessions.progress(frame.session());
        progress.onHead(frame.head());
        Peer peer = noteReachable(frame, now);
        if (peer == null) {
            return;
        }
        if (frame.kind().bringsCells()) {
            if (!parts.takesCells.getAsBoolean()) {
                return;
            }
            if (!parts.accepts.test(frame.purge())) {
                parts.dropped.beforePurge();
                return;
            }
            if (!parts.intake.hasMemory()) {
                parts.dropped.memoryFull();
                return;
            }
        }
        try {
            take(frame, peer, progress, now);
        } catch (MalformedException | KeyspaceFullException | UnknownFoldException | TooManyReplicasException e) {
            // Some of its cells are merged: those before a malformed one, and those for which there was room. The
            // number of the frame does not count as received, so they are unnumbered.
            progress.noteUnnumbered();
            throw e;
        }
    }

    /// A session that has been counted among the ended ones is told so, and ends.
    private void answerFolded(Frame frame) throws MalformedException {
        if (frame.kind() == Kind.FOLDS_ASK) {
            parts.folding.onFoldsAsk(frame.session(), frame.body());
        }
    }

    /// Notes that the sender is reachable. Returns its peer; null when there are too many.
    private @Nullable Peer noteReachable(Frame frame, long now) {
        boolean isNew = !sessions.peers().isReachable(frame.session());
        Peer peer = sessions.peers().onFrame(frame.session(), frame.head(), now);
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
                parts.orphans.note(progress);
            }
            case VECTOR_ASK -> parts.beats.onVectorAsk(from);
            case VECTOR -> parts.beats.onVector(peer, in);
            case SUMS_ASK -> parts.provider.onSumsAsk(from, in);
            case SUMS -> parts.pulls.onSums(from, in, now);
            case LEAVES_ASK -> parts.provider.onLeavesAsk(from, in);
            case LEAVES -> parts.pulls.onLeaves(from, in, now);
            case PULL -> parts.provider.onPull(from, in);
            case CELLS -> parts.pulls.onCells(from, in, now);
            case ACK -> acknowledge(peer, new Known(in.varint(), 0));
            case NODES -> parts.gossip.onNodes(in);
            case EVENTS -> parts.gossip.onEvents(from, in);
            case FOLDS_ASK -> parts.folding.onFoldsAsk(from, in);
            case FOLDS -> parts.folding.onFolds(in);
            case FOLD_ASK -> parts.folding.onFoldAsk(from, in);
            case FOLD -> parts.folding.onFold(from, in);
        }
    }

    /// An acknowledgement of frames that were never sent is ignored: `WAIT` would count it.
    private void acknowledge(Peer peer, Known acknowledged) {
        if (!new Known(parts.sender.head(), sessions.news()).covers(acknowledged)) {
            parts.dropped.impossibleAck(peer.session());
        } else {
            peer.acknowledge(acknowledged);
        }
    }

    private void onDelta(Progress progress, Frame frame) throws MalformedException {
        int gained = parts.intake.mergeCells(progress.session(), frame.body());
        if (progress.onMerged(frame.head())) {
            parts.intake.noteAdvance(progress);
        }
        if (gained > 0) {
            parts.orphans.note(progress);
        }
    }

    private void onCellsAgain(Progress progress, Frame frame) throws MalformedException {
        if (parts.intake.mergeCells(progress.session(), frame.body()) > 0) {
            progress.noteUnnumbered();
            parts.orphans.note(progress);
        }
    }

    private void onBeat(Peer peer, Frame frame, long now) throws MalformedException {
        Beat beat = Beat.read(frame.body());
        if (peer.beat() == null && beat.state() == JoinState.SEEKING) {
            parts.beats.sendSoonForJoiner();
        }
        if (peer.take(beat, parts.timeOfDay.monotonicMillis())) {
            acknowledge(peer, beat.vector().of(sessions.self()));
            parts.gossip.onBeat(peer, beat, parts.timeOfDay.aheadMillis(peer), now);
            parts.sender.version(sessions.peers().versionOfAll(newestVersion));
        }
        if (beat.wantsAcks()) {
            Progress progress = sessions.progress(peer.session());
            progress.requestAck(frame.head());
            parts.beats.sendAckIfDue(progress);
        }
    }
}
