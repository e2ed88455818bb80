package io.tallis.cluster;

import io.tallis.cluster.EventReporter.Identity;
import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.frame.Sender;
import io.tallis.cluster.peer.Beat;
import io.tallis.cluster.peer.Peer;
import io.tallis.cluster.peer.Peers;
import io.tallis.cluster.records.Chronicle;
import io.tallis.cluster.records.Records;
import io.tallis.cluster.records.Registry;
import io.tallis.crdt.ReplicaId;
import io.tallis.wire.ByteReader;
import io.tallis.wire.ByteWriter;
import io.tallis.wire.MalformedException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Exchanges node records and events between nodes, for people.
///
/// ```
/// NODES    records of nodes, see NodeRecordCodec
/// EVENTS   events of the sender, see EventCodec
/// ```
///
/// A node multicasts its own record and its own new events when they change, and repeats both because a multicast may
/// be lost. A peer that appears gets them too. A peer whose beats show another hash of records than this node's for a
/// while gets all records: one peer at a time, and after doubling pauses while that does not help. An incomplete peer
/// gets them in the next step, since it does not pull before.
final class Gossip {
    /// A clock that differs by more is reported: counters with a deadline expire at different times then.
    private static final long MOST_CLOCK_DIFFERENCE_MILLIS = 1_000;

    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long REPEAT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST_DOUBLINGS = 7;

    /// Duplicate nodes are looked for so long after a peer appeared. The former session of a node that was restarted is
    /// unreachable by then.
    private static final long DUPLICATE_CHECK_NANOS = TimeUnit.SECONDS.toNanos(6);

    private final Registry registry;
    private final Chronicle chronicle;
    private final EventReporter reporter;
    private final Sender sender;
    private final Identity self;
    private final Map<ReplicaId, GossipPeer> peers = new LinkedHashMap<>();
    private long nextStep;
    private long nextRepeat;
    private long checkDuplicatesAt = Long.MAX_VALUE;
    private boolean sentEvents;
    private long hash;
    private long hashSince;

    /// A reachable peer that has sent a beat, and the hash of its records.
    private static final class GossipPeer {
        private final Identity identity;
        private long hash;
        private long hashSince;
        private long notBefore;
        private int tries;
        private boolean isComplete;
        private boolean clockDiffers;

        private GossipPeer(Identity identity) {
            this.identity = identity;
        }
    }

    Gossip(Records records, EventReporter reporter, Sender sender, Identity self) {
        registry = records.registry();
        chronicle = records.chronicle();
        this.reporter = reporter;
        this.sender = sender;
        this.self = self;
    }

    /// The set of reachable peers has changed.
    void onPeers(Peers reachable) {
        peers.values().removeIf(peer -> {
            boolean lost = !reachable.isReachable(peer.identity.session());
            if (lost) {
                reporter.unreachable(peer.identity);
            }
            return lost;
        });
        registry.onReachable(reachable.inOrder());
    }

    /// A beat of a reachable peer arrived. At the first one it gets the record and events of this node.
    void onBeat(Peer sender, Beat beat, long clockAheadMillis, long now) {
        ReplicaId session = sender.session();
        GossipPeer peer = peers.get(session);
        if (peer == null) {
            peer = new GossipPeer(
                    new Identity(session, beat.self().uuid(), beat.self().name()));
            peer.hashSince = now;
            peers.put(session, peer);
            introduce(peer.identity);
            checkDuplicatesAt = now + DUPLICATE_CHECK_NANOS;
        }
        peer.isComplete = beat.standing().complete();
        if (peer.hash != beat.nodesHash()) {
            peer.hash = beat.nodesHash();
            peer.hashSince = now;
        }
        checkClock(peer, clockAheadMillis);
    }

    private void checkClock(GossipPeer peer, long aheadMillis) {
        // Half of it ends the report, so that a clock near the bound is not reported again and again.
        long bound = peer.clockDiffers ? MOST_CLOCK_DIFFERENCE_MILLIS / 2 : MOST_CLOCK_DIFFERENCE_MILLIS;
        boolean differs = aheadMillis >= bound || aheadMillis <= -bound;
        if (differs != peer.clockDiffers) {
            peer.clockDiffers = differs;
            reporter.clock(peer.identity, differs, aheadMillis);
        }
    }

    private void introduce(Identity newcomer) {
        reporter.reachable(newcomer);
        begin(Kind.NODES, registry.ownRecordBody());
        sender.send(newcomer.session());
        begin(Kind.EVENTS, chronicle.recent());
        sender.send(newcomer.session());
    }

    private void checkDuplicates(long now) {
        if (now >= checkDuplicatesAt) {
            checkDuplicatesAt = Long.MAX_VALUE;
            List<Identity> all = new ArrayList<>(List.of(self));
            peers.values().forEach(peer -> all.add(peer.identity));
            reporter.checkDuplicates(all);
        }
    }

    private void begin(Kind kind, byte[] body) {
        ByteWriter out = sender.begin(kind);
        out.bytes(body, 0, body.length);
    }

    void onNodes(ByteReader body) throws MalformedException {
        registry.onRecords(body);
    }

    void onEvents(ReplicaId from, ByteReader body) throws MalformedException {
        chronicle.onEvents(from, body);
    }

    /// Publishes records and events, and sends them, if due. Returns when to be called again.
    long step(long now) {
        if (now < nextStep) {
            return nextStep;
        }
        nextStep = now + INTERVAL_NANOS;
        checkDuplicates(now);
        registry.publish();
        chronicle.publish();
        if (!peers.isEmpty()) {
            sendChanges(now);
            repeat(now);
            exchangeRecords(now);
        }
        return nextStep;
    }

    /// Sends what is new at once, because the node stops.
    void flush(long now) {
        if (!peers.isEmpty()) {
            sendChanges(now);
            repeat(now);
        }
    }

    private void sendChanges(long now) {
        if (registry.takeOwnChanged()) {
            nextRepeat = Math.min(nextRepeat, now);
        }
        if (chronicle.hasUnsent()) {
            sentEvents = true;
            begin(Kind.EVENTS, chronicle.takeUnsent());
            sender.multicast();
        }
    }

    private void repeat(long now) {
        if (now < nextRepeat) {
            return;
        }
        nextRepeat = now + REPEAT_NANOS;
        begin(Kind.NODES, registry.ownRecordBody());
        sender.multicast();
        if (sentEvents) {
            sentEvents = false;
            begin(Kind.EVENTS, chronicle.recent());
            sender.multicast();
        }
    }

    private boolean isSettled(GossipPeer peer, long now) {
        return !peer.isComplete || now - Math.max(hashSince, peer.hashSince) >= SETTLE_NANOS;
    }

    private void exchangeRecords(long now) {
        if (hash != registry.hash()) {
            hash = registry.hash();
            hashSince = now;
        }
        for (GossipPeer peer : peers.values()) {
            if (peer.hash == hash) {
                peer.tries = 0;
            } else if (isSettled(peer, now) && now >= peer.notBefore) {
                peer.tries = peer.isComplete ? Math.min(peer.tries + 1, MOST_DOUBLINGS) : 0;
                peer.notBefore = now + (SETTLE_NANOS << peer.tries);
                for (byte[] piece : registry.allRecordBodies()) {
                    begin(Kind.NODES, piece);
                    sender.send(peer.identity.session());
                }
                return;
            }
        }
    }
}
