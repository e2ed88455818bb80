package io.tallis.cluster;

import io.tallis.cluster.delta.Answers;
import io.tallis.cluster.delta.Deltas;
import io.tallis.cluster.delta.Entries;
import io.tallis.cluster.delta.Gaps;
import io.tallis.cluster.delta.Intake;
import io.tallis.cluster.delta.OrphanedChanges;
import io.tallis.cluster.delta.Rotation;
import io.tallis.cluster.fold.Folding;
import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.MeteredTransport;
import io.tallis.cluster.frame.Pace;
import io.tallis.cluster.frame.Sender;
import io.tallis.cluster.frame.Transport;
import io.tallis.cluster.join.Joining;
import io.tallis.cluster.join.StandingStore;
import io.tallis.cluster.peer.Attendance;
import io.tallis.cluster.peer.AwakeClock;
import io.tallis.cluster.peer.Beats;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Peer;
import io.tallis.cluster.peer.Peers;
import io.tallis.cluster.peer.Progress;
import io.tallis.cluster.peer.Sessions;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.peer.Vitals;
import io.tallis.cluster.pull.Provider;
import io.tallis.cluster.pull.Pulls;
import io.tallis.cluster.purge.Purging;
import io.tallis.cluster.records.Chronicle;
import io.tallis.cluster.records.Event;
import io.tallis.cluster.records.NodeState;
import io.tallis.cluster.records.Records;
import io.tallis.cluster.records.Registry;
import io.tallis.cluster.records.Self;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.Expiry;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.OwnChanges;
import io.tallis.keyspace.TurnLog;
import io.tallis.metrics.DurationHistogram;
import io.tallis.runtime.Randomness;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// The state machine that keeps this node's counters equal to those of the other nodes: time, frames and views go in,
/// frames come out.
///
/// Belongs to one thread. Nothing in it waits; work that takes long is done in pieces, one in each call of [#onTime].
/// The page `replication.md` explains the design. The parts:
///
///     Reception   dispatches frames            Peers               which sessions are reachable
///     Deltas      sends own changes            Sessions, Progress  how much of each session is here
///     Intake      merges changes of others     Beats               sends beats and acknowledgements
///     Gaps        asks for missing frames      Answers             answers such requests
///     Pulls, Pull compares all, fetches        Provider            serves the pulls of others
///     Joining     when this node may serve     OrphanedChanges     what crashed sessions left
///     Rotation    sends all again, slowly      Waits               clients that use WAIT
///     Folding     adds up ended sessions       Purging             drops deleted counters
///     Gossip, EventReporter, StatusReporter    what is shown to people
public final class Replicator {
    private static final long MOST_SAVED_BYTES = 1 << 18;
    private static final long STATUS_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /// After a pause of the rotation, how soon to check whether it may continue, and the longest pause.
    private static final long ROTATION_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long MOST_ROTATION_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ReplicationSettings settings;
    private final AwakeClock clock = new AwakeClock();
    private final Peers peers;
    private final Sessions sessions;
    private final Sender sender;
    private final OwnChanges changes;
    private final Deltas deltas;
    private final Intake intake;
    private final Gaps gaps;
    private final Answers answers;
    private final Pulls pulls;
    private final Provider provider;
    private final Beats beats;
    private final Rotation rotation;
    private final OrphanedChanges orphans;
    private final Joining joining;
    private final Attendance attendance;
    private final Folding folding;
    private final Purging purging;
    private final Waits waits;
    private final DroppedFrames dropped;
    private final MeteredTransport transport;
    private final Registry registry;
    private final Chronicle chronicle;
    private final EventReporter reporter;
    private final Gossip gossip;
    private final Reception reception;
    private final StatusReporter statusReporter;
    private final RepairLoad repairLoad = new RepairLoad();
    private final Convergence convergence = new Convergence();
    private volatile ReplicationStatus status;
    private long nextStatus;

    /// The head of some seconds ago, which peers should have by now, and a later head that will replace it.
    private long headBefore;

    private long headNoted;
    private long headNotedAt;

    private long rotatedAt;

    /// Whether own changes waited at the end of the last [#onTime]. If so its result says when they are to be sent.
    private boolean changesWaited;

    /// Whether a pull of another node is served before an ANSWER.
    private boolean pullsNext;

    private boolean backlog;

    private final Expiry expiry;
    private final TimeOfDay timeOfDay;

    /// On the [AwakeClock].
    private long now;

    /// What a replicator works with. `nanos` is monotonic time, `epochMillis` the time of day by the clock of this
    /// machine, `timeStarts` is told what the right one was when monotonic time began. `mailbox` runs tasks later, on
    /// the thread that the replicator belongs to. `end` ends the process for this reason.
    public record Ports(
            Keyspace keyspace,
            TurnLog log,
            Transport transport,
            StandingStore standings,
            Randomness randomness,
            LongSupplier nanos,
            LongSupplier epochMillis,
            LongConsumer timeStarts,
            Executor mailbox,
            Consumer<String> end) {}

    /// To be constructed when all counters have been loaded and before clients may change any, since own changes are
    /// tracked from here on. `standing` is what the data directory remembers.
    public Replicator(Ports ports, Self self, ReplicationSettings settings, Records records, Standing standing) {
        this.settings = settings;
        registry = records.registry();
        chronicle = records.chronicle();
        Event.Sink events = chronicle::record;
        Keyspace keyspace = ports.keyspace;
        transport = new MeteredTransport(ports.transport, keyspace.replicas().own());
        peers = new Peers(keyspace.replicas().own());
        Predicate<ReplicaId> isFolded = keyspace.replicas()::isFolded;
        sessions = new Sessions(keyspace.replicas().own(), peers, keyspace.cells() > 0 ? 1 : 0, isFolded);
        sender = new Sender(transport, sessions.self());
        expiry = keyspace.expiry();
        expiry.inReach(false);
        timeOfDay = new TimeOfDay(peers, expiry, ports.nanos, ports.epochMillis, ports.timeStarts, events);
        changes = keyspace.ownChanges();
        changes.track();
        Entries entries = new Entries(keyspace.replicas());
        Pace bulk = new Pace(settings.bulkBytesPerSecond(), MOST_SAVED_BYTES);
        deltas = new Deltas(changes, sender, entries, new Pace(settings.bulkBytesPerSecond(), MOST_SAVED_BYTES));
        intake = new Intake(keyspace, settings.mostBytes(), ports.log, ports.mailbox, this::onDurable);
        gaps = new Gaps(sessions, intake, sender, ports.randomness);
        answers = new Answers(changes, sender, entries, bulk, peers::isReachable);
        pulls = new Pulls(sessions, keyspace, intake, sender, ports.randomness, events, gaps::answers);
        provider = new Provider(keyspace, sessions, sender, bulk);
        beats = new Beats(
                sessions,
                sender,
                ports.randomness,
                settings.newestVersion(),
                self,
                registry::hash,
                ports.epochMillis,
                timeOfDay::correctionMillis);
        rotation = new Rotation(changes, sessions, sender, entries, settings.rotationBytesPerSecond());
        orphans = new OrphanedChanges(sessions);
        joining = new Joining(
                new Joining.Parts(
                        sessions,
                        pulls,
                        ports.standings,
                        ports.randomness,
                        ports.epochMillis,
                        registry::nodesExpected,
                        registry::unreachable,
                        () -> keyspace.cells() > 0,
                        registry::hash,
                        keyspace.folds()::hash,
                        events,
                        ports.end),
                settings.joining(),
                standing);
        waits = new Waits(sessions, changes);
        BooleanSupplier serves = () -> joining.state() == JoinState.READY;
        attendance = new Attendance(
                peers,
                self.uuid(),
                registry::nodes,
                registry::hash,
                keyspace.folds()::hash,
                () -> joining.standing().told(),
                serves);
        folding = new Folding(
                new Folding.Parts(
                        sessions,
                        keyspace,
                        sender,
                        attendance,
                        registry::nodes,
                        session -> registry.known().owner(session),
                        serves,
                        intake::note,
                        this::awaitOthers,
                        events,
                        ports.end),
                settings.foldAfterNanos());
        purging = new Purging(new Purging.Parts(
                sessions,
                keyspace,
                ports.log,
                attendance,
                joining::standing,
                serves,
                joining::note,
                folding::isUnderWay,
                this::awaitOthers,
                ports.randomness,
                events,
                ports.end));
        dropped = new DroppedFrames(events);
        reporter = new EventReporter(chronicle);
        gossip = new Gossip(
                records, reporter, sender, new EventReporter.Identity(sessions.self(), self.uuid(), self.name()));
        reception = new Reception(
                new Reception.Parts(
                        sessions,
                        intake,
                        gaps,
                        answers,
                        pulls,
                        provider,
                        beats,
                        orphans,
                        gossip,
                        sender,
                        dropped,
                        this::onNewPeer,
                        joining::takesCells,
                        this::takesCellsOf,
                        folding,
                        isFolded,
                        timeOfDay),
                transport,
                settings.newestVersion());
        statusReporter = new StatusReporter(new StatusReporter.Parts(
                sessions,
                sender,
                transport,
                joining,
                pulls,
                gaps,
                answers,
                rotation,
                dropped,
                this::folds,
                this::purges,
                attendance,
                registry::nodesExpected,
                timeOfDay));
        status = statusReporter.make(0);
    }

    /// The newest published status. Any thread may ask.
    public ReplicationStatus status() {
        return status;
    }

    /// How long changes of this node take to be in the journals of its peers. Any thread may ask.
    DurationHistogram convergence() {
        return convergence.durations();
    }

    /// Records an event that happened to this node outside of replication; `level` is that of its line in the log.
    public void happened(Level level, String what) {
        chronicle.record(level, what);
    }

    /// Hides a node from people, see [Registry#forget].
    public Registry.Forgetting forget(String name) {
        return registry.forget(name);
    }

    /// The node is about to stop. Tells the peers that before it returns. What only this node may have of sessions that
    /// have gone is announced at the next [#onTime], without the usual delay.
    public void leaves() {
        registry.state(NodeState.LEFT);
        chronicle.record("is stopping");
        gossip.flush(now);
        orphans.skipDelay();
    }

    public JoinState state() {
        return joining.state();
    }

    public Standing standing() {
        return joining.standing();
    }

    /// Whether a pull is under way. Some of what it brings may be here already, but no vector says so before its end.
    public boolean isPulling() {
        return !pulls.idle();
    }

    /// Whether repair traffic is heavy, see [RepairLoad]. Any thread may ask.
    public boolean isRepairLoadHigh() {
        return repairLoad.isHigh();
    }

    /// Whether the disk is so far behind that frames with cells should wait. Other frames are to be handed over all the
    /// same.
    public boolean congested() {
        return intake.congested();
    }

    /// Whether a frame contains cells to be merged.
    public static boolean bringsCells(byte[] frame) {
        return Frame.bringsCells(frame);
    }

    /// Whether there are own changes to send that the last call of [#onTime] did not take into account.
    boolean hasNewChanges() {
        return !changesWaited && changes.any();
    }

    /// From where peers are told what people are shown of this node.
    public void tell(Supplier<Vitals> vitals) {
        beats.tell(vitals);
    }

    /// `SYSTEM HOLD`: serves no client until [#ready], and goes on with everything else.
    public void hold() {
        joining.hold();
    }

    /// `SYSTEM READY`: serves clients from now on, complete or not.
    public void ready() {
        joining.ready();
    }

    /// Calls `answer` with the number of other nodes whose journals have all that was counted here before this call: as
    /// soon as there are `wanted`, or after the timeout. No longer when `listens` returns false.
    public void await(long wanted, long timeoutNanos, BooleanSupplier listens, IntConsumer answer) {
        long deadline = timeoutNanos > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + timeoutNanos;
        waits.add(Waits.Scope.OWN, wanted, deadline, listens, answer);
    }

    /// Calls `answer` with the number of other nodes whose journals have all that was here before this call, including
    /// the counts of others: as soon as there is one, or after the timeout. A node need not acknowledge what it counted
    /// itself in its present session.
    public void awaitOneWithAll(long timeoutNanos, IntConsumer answer) {
        waits.add(Waits.Scope.ALL, 1, now + timeoutNanos, () -> true, answer);
    }

    private ReplicationStatus.Folds folds() {
        long waiting = folding.waiting();
        return new ReplicationStatus.Folds(waiting, folding.made(), waiting == 0 ? "" : folding.phase());
    }

    private ReplicationStatus.Purges purges() {
        return new ReplicationStatus.Purges(purging.dropped(), purging.phase());
    }

    private void awaitOthers(BooleanSupplier listens, IntConsumer answer) {
        waits.add(Waits.Scope.ALL, peers.count() - 1L, Long.MAX_VALUE, listens, answer);
    }

    /// `SYSTEM PURGE`.
    public void purgeAtOnce() {
        purging.purgeAtOnce();
    }

    /// `SYSTEM FOLD`.
    public void foldAtOnce() {
        folding.foldAtOnce();
    }

    // Time

    /// Does what is due. The order matters: peers first, since everything else asks which are reachable; own changes
    /// before answers and pulls, which must not delay them; the beat after joining, whose state it tells; the commit of
    /// what was merged late, so that it has as much as possible.
    ///
    /// Returns in how many nanoseconds it wants to be called again, if nothing happens before: at most a step of the
    /// [AwakeClock].
    public long onTime(long nanos) {
        advanceTo(nanos);
        repairLoad.update(transport.repairBytes(), now);
        peers.removeUnreachable(now, backlog).forEach(this::onUnreachable);
        if (joining.state() != JoinState.READY) {
            timeOfDay.step(false, false);
        }
        long due = joining.step(now);
        sendChanges();
        answer();
        // The answers would bring cells, which could not be merged now.
        if (intake.hasMemory() && !congested()) {
            due = Math.min(due, askForMore());
        }
        if (orphans.announceDue(now)) {
            beats.sendSoon();
        }
        due = Math.min(due, purging.step(now));
        due = Math.min(due, folding.step(now, purging.isUnderWay()));
        beats.setStatus(joining.told(), joining.standing().told());
        beats.setNews(folding.news(), purging.news());
        sender.purge(joining.standing().purge().tag());
        due = Math.min(due, beats.step(now));
        due = Math.min(due, rotate());
        due = Math.min(due, waits.step(now));
        intake.commit(now);
        due = Math.min(due, inform());
        changesWaited = changes.any();
        due = Math.min(due, Math.min(intake.nextDue(), changesWaited ? deltas.nextFlush() : Long.MAX_VALUE));
        due = Math.min(due, Math.min(answers.nextDue(now), provider.nextDue(now)));
        return Math.clamp(due - now, 0, AwakeClock.MOST_STEP_NANOS);
    }

    /// Serves an ANSWER or a pull. Both share a pace, so they take turns, or one of them would be starved.
    private void answer() {
        if (pullsNext) {
            pullsNext = !provider.step(now);
            boolean _ = answers.step(now);
        } else {
            pullsNext = answers.step(now);
            boolean _ = provider.step(now);
        }
    }

    /// Continues the rotation; only once a second while this node joins or serves a pull, which are more urgent.
    private long rotate() {
        boolean busy = joining.state() != JoinState.READY || provider.isBusy(now);
        if (busy && now - rotatedAt < MOST_ROTATION_PAUSE_NANOS) {
            return now + ROTATION_RETRY_NANOS;
        }
        rotatedAt = now;
        return rotation.step(now);
    }

    private long askForMore() {
        long due = pulls.step(now, backlog);
        // Cells that are refused would be asked for again and again.
        boolean asks = !intake.hasRefusedCells() || joining.state() != JoinState.READY;
        if (asks && joining.asksForFrames() && !intake.awaitsFold(now)) {
            due = Math.min(due, gaps.step(now, backlog));
            due = Math.min(
                    due,
                    pulls.startIfWanted(
                            now, peer -> takesCellsOf(peer.standing().purge().tag())));
        }
        return due;
    }

    /// Whether cells of a node with this tag of its last purge may be merged.
    private boolean takesCellsOf(int tag) {
        return purging.accepts(tag) || joining.pullsAfter(tag);
    }

    /// Advances the clock, before anything else is done in a cycle; `nanos` is the time of the system's clock.
    public void advanceTo(long nanos) {
        now = clock.advanceTo(nanos);
    }

    private void sendChanges() {
        waits.beforeSending();
        deltas.flush(now);
        if (waits.onSent(sender.head())) {
            beats.requestAcks();
        }
        statusReporter.noteHead(now);
        convergence.step(sender.head(), peers.all(), now);
    }

    /// Publishes the status and events, when due or when a state changes. Returns when to be called again.
    private long inform() {
        reporter.journal(intake.isFailing());
        reporter.memory(!intake.hasMemory());
        reporter.refusedCells(intake.hasRefusedCells());
        if (joining.state() == JoinState.READY) {
            registry.state(NodeState.READY);
        }
        long due = gossip.step(now);
        if (now >= nextStatus
                || status.joining().state() != joining.state()
                || status.joining().held() != joining.isHeld()
                || !status.joining().standing().equals(joining.standing())) {
            nextStatus = now + STATUS_NANOS;
            noteReach();
            status = statusReporter.make(now);
        }
        return Math.min(due, nextStatus);
    }

    /// Tells whether other nodes and this one know what each of them did to a cell that is dropped here now.
    private void noteReach() {
        timeOfDay.step(joining.state() == JoinState.READY, registry.nodesExpected() <= 1);
        boolean isHeard = isHeard();
        boolean clocksDiffer = peers.withBeat().anyMatch(peer -> Expiry.isBeyondSkew(timeOfDay.aheadMillis(peer)));
        if (clocksDiffer) {
            expiry.clocksDiffer();
        }
        if (!clocksDiffer
                && isHeard
                && joining.state() == JoinState.READY
                && pulls.idle()
                && gaps.isIdle()
                && peers.count() >= registry.nodesExpected()) {
            expiry.inReachAt(heardUntil());
        } else {
            expiry.inReach(false);
        }
        if (expiry.takeReturn()) {
            pulls.compareOnce();
        }
    }

    /// Up to what time of day this node has all that the others changed, as they believe. It is not the present if this
    /// process stood still, or lags behind: frames that wait to be taken are not missed.
    private long heardUntil() {
        return peers.all().stream().mapToLong(Peer::toldAt).reduce(expiry.now(), Math::min);
    }

    /// Whether all peers have what this node sent, but for the last seconds. No cell is dropped so soon after a change.
    private boolean isHeard() {
        long epochMillis = expiry.now();
        if (Expiry.isBeyondSkew(2 * (epochMillis - headNotedAt))) {
            headBefore = headNoted;
            headNoted = sender.head();
            headNotedAt = epochMillis;
        }
        return peers.all().stream().allMatch(peer -> peer.acknowledged().frames() >= headBefore);
    }

    /// Commits what was merged, because no other call follows.
    void close() {
        intake.flush();
    }

    // Peers

    /// The transport has a new view.
    public void onView(List<ReplicaId> members) {
        peers.view(members, now);
        beats.sendSoon();
    }

    private void onNewPeer(Peer peer) {
        onPeersChanged();
        beats.sendSoon();
    }

    private void onUnreachable(ReplicaId session) {
        onPeersChanged();
        orphans.note(sessions.progress(session));
        gaps.unreachable(session);
        answers.unreachable(session);
        provider.unreachable(session);
        pulls.unreachable(session, now);
    }

    private void onPeersChanged() {
        sessions.reachabilityChanged();
        List<ReplicaId> reachable = peers.inOrder();
        transport.onPeers(reachable);
        gossip.onPeers(peers);
        sender.version(peers.versionOfAll(settings.newestVersion()));
    }

    // Frames

    /// A frame from session `from` arrived. An invalid one is dropped.
    public void onFrame(ReplicaId from, byte[] bytes) {
        reception.onFrame(from, bytes, now);
    }

    /// Sets whether more frames wait in the inbox than were handed over.
    void setBacklog(boolean backlog) {
        this.backlog = backlog;
    }

    /// `frames` in all were dropped since the start because the inbox was full.
    void inboxFull(long frames) {
        dropped.inboxFull(frames);
    }

    private void onDurable(Progress progress) {
        sessions.onDurable(progress);
        beats.sendAckIfDue(progress);
    }
}
