package io.tallis.cluster;

import io.tallis.cluster.delta.Answers;
import io.tallis.cluster.delta.Deltas;
import io.tallis.cluster.delta.Entries;
import io.tallis.cluster.delta.Gaps;
import io.tallis.cluster.delta.Intake;
import io.tallis.cluster.delta.Leftovers;
import io.tallis.cluster.delta.MergeRoom;
import io.tallis.cluster.delta.Rotation;
import io.tallis.cluster.frame.Frame;
import io.tallis.cluster.frame.MeteredTransport;
import io.tallis.cluster.frame.Pace;
import io.tallis.cluster.frame.Sender;
import io.tallis.cluster.frame.Transport;
import io.tallis.cluster.join.Joining;
import io.tallis.cluster.join.StandingStore;
import io.tallis.cluster.peer.AwakeClock;
import io.tallis.cluster.peer.Beats;
import io.tallis.cluster.peer.JoinState;
import io.tallis.cluster.peer.Peer;
import io.tallis.cluster.peer.Peers;
import io.tallis.cluster.peer.Progress;
import io.tallis.cluster.peer.Sessions;
import io.tallis.cluster.peer.Standing;
import io.tallis.cluster.pull.Provider;
import io.tallis.cluster.pull.Pulls;
import io.tallis.cluster.records.Chronicle;
import io.tallis.cluster.records.EventSink;
import io.tallis.cluster.records.NodeState;
import io.tallis.cluster.records.Records;
import io.tallis.cluster.records.Registry;
import io.tallis.cluster.records.Self;
import io.tallis.crdt.ReplicaId;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.OwnChanges;
import io.tallis.keyspace.TurnLog;
import io.tallis.runtime.Randomness;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;

/// A session's part in the cluster, as a state machine: frames, views and the time come in, frames go out.
///
/// Belongs to one thread. Nothing in it waits; whatever takes long is done in pieces, one a call of [#onTime]. The page
/// `replication.md` says what it does and why; these parts do it:
///
///     Reception   takes frames apart           Peers               which sessions can be reached
///     Deltas      own changes out              Sessions, Progress  what is here of each session
///     Intake      changes of others in         Beats               tells peers all of that
///     MergeRoom   bounds the memory for them   Joining             when this node may serve
///     Gaps        asks for missing frames      Answers             answers such questions
///     Pulls, Pull compares all and fetches     Provider            serves the pulls of others
///     Leftovers   what departed sessions left  Rotation            sends all again, slowly
///     Waits       clients that use WAIT        Gossip, Report      what people are told
public final class Replicator {
    private static final long MOST_SAVED_BYTES = 1 << 18;
    private static final long STATUS_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /// The rotation looks again after so long whether it may go on.
    private static final long ROTATION_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long LONGEST_REST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ReplicationSettings settings;
    private final MergeRoom room;
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
    private final Leftovers leftovers;
    private final Joining joining;
    private final Waits waits;
    private final Refused refused;
    private final MeteredTransport transport;
    private final Registry registry;
    private final Chronicle chronicle;
    private final Narrator narrator;
    private final Gossip gossip;
    private final Reception reception;
    private final Report report;
    private final Repairs repairs = new Repairs();
    private volatile ReplicationStatus status;
    private long nextStatus;
    private long rotatedAt;
    private boolean sawChanges;
    private boolean pullsFirst;
    private boolean backlog;

    /// On the [AwakeClock].
    private long now;

    /// What a replicator works with. Own changes are tracked from its construction on, so the counters are loaded by
    /// then
    /// and no client has changed any. `mailbox` runs tasks later, on the thread that the replicator belongs to.
    public record Ports(
            Keyspace keyspace,
            TurnLog log,
            Transport transport,
            StandingStore standings,
            Randomness randomness,
            LongSupplier epochMillis,
            Executor mailbox) {}

    /// `standing` is what the data directory remembers.
    public Replicator(Ports ports, Self self, ReplicationSettings settings, Records records, Standing standing) {
        this.settings = settings;
        registry = records.registry();
        chronicle = records.chronicle();
        EventSink events = chronicle::tell;
        Keyspace keyspace = ports.keyspace;
        room = new MergeRoom(keyspace, settings.mostBytes());
        transport = new MeteredTransport(ports.transport, keyspace.replicas().own());
        peers = new Peers(keyspace.replicas().own());
        sessions = new Sessions(keyspace.replicas().own(), peers, keyspace.cells() > 0 ? 1 : 0);
        sender = new Sender(transport, sessions.self());
        changes = keyspace.ownChanges();
        changes.track();
        Entries entries = new Entries(keyspace.replicas());
        Pace bulk = new Pace(settings.bulkBytesPerSecond(), MOST_SAVED_BYTES);
        deltas = new Deltas(changes, sender, entries, new Pace(settings.bulkBytesPerSecond(), MOST_SAVED_BYTES));
        intake = new Intake(keyspace, ports.log, ports.mailbox, this::onJournalled);
        gaps = new Gaps(sessions, intake, sender, ports.randomness);
        answers = new Answers(changes, sender, entries, bulk, peers::isReachable);
        pulls = new Pulls(sessions, keyspace, intake, sender, ports.randomness, events, gaps::answers);
        provider = new Provider(keyspace, sessions, sender, bulk);
        beats = new Beats(sessions, sender, ports.randomness, settings, self, registry::hash);
        rotation = new Rotation(changes, sessions, sender, entries, settings.rotationBytesPerSecond());
        leftovers = new Leftovers(sessions);
        joining = new Joining(
                new Joining.Parts(
                        sessions,
                        pulls,
                        ports.standings,
                        ports.randomness,
                        ports.epochMillis,
                        () -> registry.known().visible().size(),
                        events),
                settings.joining(),
                standing,
                keyspace.cells() > 0);
        waits = new Waits(sessions, changes);
        refused = new Refused(events);
        narrator = new Narrator(chronicle);
        gossip =
                new Gossip(records, narrator, sender, new Narrator.Identity(sessions.self(), self.uuid(), self.name()));
        reception = new Reception(
                new Reception.Parts(
                        sessions,
                        intake,
                        gaps,
                        answers,
                        pulls,
                        provider,
                        beats,
                        leftovers,
                        gossip,
                        sender,
                        refused,
                        room,
                        this::onNewPeer,
                        joining::takesCells),
                transport,
                settings.newestVersion());
        report = new Report(
                new Report.Parts(sessions, sender, transport, joining, pulls, gaps, answers, rotation, refused));
        status = report.make(0);
    }

    /// How replication stands, as it was told last. Any thread may ask.
    public ReplicationStatus status() {
        return status;
    }

    /// Takes down for people what happened to this node elsewhere than in replication.
    public void happened(String what) {
        chronicle.tell(what);
    }

    /// Hides a node from people, see [Registry#forget].
    public Registry.Forgetting forget(String who) {
        return registry.forget(who);
    }

    /// The node is about to stop, and says so: when this returns, the transport has it.
    public void leaves() {
        registry.state(NodeState.LEFT);
        happened("leaves");
        gossip.hurry(now);
        leftovers.hurry();
    }

    public JoinState state() {
        return joining.state();
    }

    public Standing standing() {
        return joining.standing();
    }

    /// Whether it is fetching what others know: some of it may be here, and no vector tells of it before the end.
    public boolean pulls() {
        return !pulls.idle();
    }

    /// Whether much of what nodes differ in passes at present: long tasks wait a while for the end of it. Any thread
    /// may ask.
    public boolean repairsMuch() {
        return repairs.areMany();
    }

    /// Whether so much waits for this node's disk that frames that bring cells should wait too. All others are to be
    /// taken in: nobody else can answer them.
    public boolean congested() {
        return intake.congested();
    }

    /// Whether a frame brings cells to be merged.
    public static boolean bringsCells(byte[] frame) {
        return Frame.bringsCells(frame);
    }

    /// Whether there are own changes to send that the last call of [#onTime] did not count with.
    boolean hasUnseenChanges() {
        return !sawChanges && changes.any();
    }

    /// Serves clients from now on, in step with others or not.
    public void ready() {
        joining.ready();
    }

    /// Tells how many others have all that was counted here before this call, in their journals: as soon as `wanted`
    /// have, or when the time is over. Whoever no longer listens is not told.
    public void await(long wanted, long patienceNanos, BooleanSupplier listens, IntConsumer answer) {
        long deadline = patienceNanos > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + patienceNanos;
        waits.add(Waits.Scope.OWN, wanted, deadline, listens, answer);
    }

    /// Tells how many others have all that was here before this call, whoever counted it: as soon as one has, or when
    /// the time is over. What came from one who is in reach counts as being there.
    public void awaitOneWithAll(long patienceNanos, IntConsumer answer) {
        waits.add(Waits.Scope.ALL, 1, now + patienceNanos, () -> true, answer);
    }

    // Time

    /// Does what is due. Returns in how many nanoseconds it wants to be called again, if nothing happens before: at
    /// most
    /// a step of the [AwakeClock].
    public long onTime(long nanos) {
        advanceTo(nanos);
        repairs.look(transport.repairBytes(), now);
        peers.removeSilent(now, backlog).forEach(this::onUnreachable);
        long due = joining.tick(now);
        sendChanges();
        serve();
        if (room.isLeft() && !congested()) {
            due = Math.min(due, askForMore());
        }
        if (leftovers.becameNews(now)) {
            beats.soon();
        }
        beats.show(joining.state(), joining.standing());
        due = Math.min(due, beats.tick(now));
        due = Math.min(due, rotate());
        due = Math.min(due, waits.tick(now));
        intake.commit(now);
        due = Math.min(due, tell());
        sawChanges = changes.any();
        due = Math.min(due, Math.min(intake.nextDue(), sawChanges ? deltas.nextFlush() : Long.MAX_VALUE));
        due = Math.min(due, Math.min(answers.nextDue(now), provider.nextDue(now)));
        return Math.clamp(due - now, 0, AwakeClock.MOST_STEP_NANOS);
    }

    /// Answers and pulls share a pace: after one the other comes first, or it would never come.
    private void serve() {
        if (pullsFirst) {
            pullsFirst = !provider.step(now);
            boolean _ = answers.step(now);
        } else {
            pullsFirst = answers.step(now);
            boolean _ = provider.step(now);
        }
    }

    /// Once a second only while this node joins or serves a pull: there is enough to do, and the rotation can wait, but
    /// not for ever.
    private long rotate() {
        boolean busy = joining.state() != JoinState.READY || provider.isAtWork(now);
        if (busy && now - rotatedAt < LONGEST_REST_NANOS) {
            return now + ROTATION_REST_NANOS;
        }
        rotatedAt = now;
        return rotation.tick(now);
    }

    private long askForMore() {
        long due = pulls.step(now, backlog);
        // What finds no room would be asked for again and again.
        boolean asks = room.isForAll() || joining.state() != JoinState.READY;
        if (asks && joining.asksForFrames()) {
            due = Math.min(due, gaps.tick(now, backlog));
            due = Math.min(due, pulls.startIfWanted(now));
        }
        return due;
    }

    /// Advances the time before anything else is done in a turn; `nanos` is what the system's clock shows.
    public void advanceTo(long nanos) {
        now = clock.advanceTo(nanos);
    }

    private void sendChanges() {
        waits.beforeSending();
        deltas.flush(now);
        if (waits.sent(sender.head())) {
            beats.urgent();
        }
        report.lookAtHead(now);
    }

    /// Tells people how things are, when it is time or serving begins. Returns when to be called again.
    private long tell() {
        narrator.merges(intake.losing());
        narrator.memory(!room.isLeft());
        narrator.room(!room.isForAll());
        if (joining.state() == JoinState.READY) {
            registry.state(NodeState.READY);
        }
        long due = gossip.tick(now);
        if (now >= nextStatus
                || status.joining().state() != joining.state()
                || !status.joining().standing().equals(joining.standing())) {
            nextStatus = now + STATUS_NANOS;
            status = report.make(now);
        }
        return Math.min(due, nextStatus);
    }

    /// Hands what was taken in to the journal, when no call follows.
    void ends() {
        intake.end();
    }

    // Peers

    /// The transport has another view.
    public void onView(List<ReplicaId> members) {
        peers.view(members, now);
        beats.soon();
    }

    private void onNewPeer(Peer peer) {
        onPeersChanged();
        beats.soon();
    }

    private void onUnreachable(ReplicaId session) {
        onPeersChanged();
        leftovers.look(sessions.progress(session));
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

    /// A frame came from that session. One that is not right is dropped.
    public void onFrame(ReplicaId from, byte[] bytes) {
        reception.frame(from, bytes, now);
    }

    /// Whether more frames wait than were handed over.
    void hasBacklog(boolean backlog) {
        this.backlog = backlog;
    }

    /// So many frames in all were dropped before they came here, because too many waited.
    void foundNoRoom(long frames) {
        refused.foundNoRoom(frames);
    }

    private void onJournalled(Progress progress) {
        sessions.journalled(progress);
        beats.tellIfWanted(progress);
    }
}
