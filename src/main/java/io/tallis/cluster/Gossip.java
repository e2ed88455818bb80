package io.tallis.cluster;

import io.tallis.cluster.Narrator.Identity;
import io.tallis.cluster.frame.Kind;
import io.tallis.cluster.frame.Sender;
import io.tallis.cluster.peer.Beat;
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

/// Spreads what is kept for people: this node's record and events to all, all records to whoever has others.
///
/// ```
/// NODES    records of nodes, see NodeRecordCodec
/// EVENTS   events of the sender, see EventCodec
/// ```
///
/// The own record goes out when it changed, and again and again, since a multicast may be lost; events that came with
/// none lost are dropped as known. A peer whose beats tell another hash of records than this node's for a while gets
/// all of them, one peer a look, and each time later if that was in vain.
final class Gossip {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long REPEAT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long SETTLE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int MOST_DOUBLINGS = 7;

    /// After so long a former session of somebody who came is not seen any more: what is alike then is so by mistake.
    private static final long TO_BE_MISSED_NANOS = TimeUnit.SECONDS.toNanos(6);

    private final Registry registry;
    private final Chronicle chronicle;
    private final Narrator narrator;
    private final Sender sender;
    private final Identity self;
    private final Map<ReplicaId, Acquaintance> present = new LinkedHashMap<>();
    private long nextLook;
    private long nextRepeat;
    private long compareAt = Long.MAX_VALUE;
    private boolean toldEvents;
    private long hash;
    private long hashSince;

    /// A present peer that has beaten, and what it told of records.
    private static final class Acquaintance {
        private final Identity identity;
        private long hash;
        private long hashSince;
        private long notBefore;
        private int tries;

        private Acquaintance(Identity identity) {
            this.identity = identity;
        }
    }

    Gossip(Records records, Narrator narrator, Sender sender, Identity self) {
        registry = records.registry();
        chronicle = records.chronicle();
        this.narrator = narrator;
        this.sender = sender;
        this.self = self;
    }

    /// The set of reachable peers has changed.
    void onPeers(Peers peers) {
        present.values().removeIf(peer -> {
            boolean departed = !peers.isReachable(peer.identity.session());
            if (departed) {
                narrator.left(peer.identity);
            }
            return departed;
        });
        registry.onReachable(peers.inOrder());
    }

    /// A present peer has beaten. At the first time it is told of this node.
    void onBeat(ReplicaId session, Beat beat, long now) {
        Acquaintance peer = present.get(session);
        if (peer == null) {
            peer = new Acquaintance(
                    new Identity(session, beat.self().uuid(), beat.self().name()));
            peer.hashSince = now;
            present.put(session, peer);
            welcome(peer.identity);
            compareAt = now + TO_BE_MISSED_NANOS;
        }
        if (peer.hash != beat.nodesHash()) {
            peer.hash = beat.nodesHash();
            peer.hashSince = now;
        }
    }

    private void welcome(Identity newcomer) {
        narrator.joined(newcomer);
        begin(Kind.NODES, registry.recordFrameBody());
        sender.send(newcomer.session());
        begin(Kind.EVENTS, chronicle.again());
        sender.send(newcomer.session());
    }

    private void compare(long now) {
        if (now >= compareAt) {
            compareAt = Long.MAX_VALUE;
            List<Identity> all = new ArrayList<>(List.of(self));
            present.values().forEach(peer -> all.add(peer.identity));
            narrator.present(all);
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

    /// Shows people what is new and tells the others, if it is time. Returns when to be called again.
    long tick(long now) {
        if (now < nextLook) {
            return nextLook;
        }
        nextLook = now + LOOK_NANOS;
        compare(now);
        registry.publish();
        chronicle.publish();
        if (!present.isEmpty()) {
            tellNews(now);
            repeat(now);
            tellAll(now);
        }
        return nextLook;
    }

    /// Tells the others what is new at once, as one who is about to go has no next look.
    void hurry(long now) {
        if (!present.isEmpty()) {
            tellNews(now);
            repeat(now);
        }
    }

    private void tellNews(long now) {
        if (registry.takeOwnChanged()) {
            nextRepeat = Math.min(nextRepeat, now);
        }
        if (chronicle.hasNews()) {
            toldEvents = true;
            begin(Kind.EVENTS, chronicle.news());
            sender.multicast();
        }
    }

    private void repeat(long now) {
        if (now < nextRepeat) {
            return;
        }
        nextRepeat = now + REPEAT_NANOS;
        begin(Kind.NODES, registry.recordFrameBody());
        sender.multicast();
        if (toldEvents) {
            toldEvents = false;
            begin(Kind.EVENTS, chronicle.again());
            sender.multicast();
        }
    }

    private void tellAll(long now) {
        if (hash != registry.hash()) {
            hash = registry.hash();
            hashSince = now;
        }
        for (Acquaintance peer : present.values()) {
            if (peer.hash == hash) {
                peer.tries = 0;
            } else if (now - Math.max(hashSince, peer.hashSince) >= SETTLE_NANOS && now >= peer.notBefore) {
                peer.notBefore = now + (SETTLE_NANOS << Math.min(++peer.tries, MOST_DOUBLINGS));
                for (byte[] piece : registry.whole()) {
                    begin(Kind.NODES, piece);
                    sender.send(peer.identity.session());
                }
                return;
            }
        }
    }
}
