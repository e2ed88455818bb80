package io.tallis.cluster.jgroups;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.cluster.jgroups.PacketCipher.Kind;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Randomness;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jgroups.Address;
import org.jgroups.stack.IpAddress;
import org.jspecify.annotations.Nullable;

/// Guard of the cluster port: lets packets of this cluster's nodes in, counts the others, and names their senders.
///
/// A node with another key is the common case. Over UDP it refuses packets of this node as this one does with its; over
/// TCP it closes connections that this node makes; so both sides name the other, in an event. A sender is named once in
/// [#NAMED_AGAIN_AFTER], and at most [#MOST_NAMED] are in that time, since an address in a datagram can be forged.
///
/// A connection that another node closes without an answer, again and again, is counted as refused too: that node may
/// never call this one, so it is all that a node with the wrong key gets to see.
///
/// Called by any thread.
final class PacketGuard {
    static final int MOST_NAMED = 50;
    static final int HANG_UPS_NAMED = 3;
    static final Duration NAMED_AGAIN_AFTER = Duration.ofHours(1);
    static final Duration RECENT = Duration.ofMinutes(1);

    private static final String REFUSED_BY =
            "is refused by %s, which closes connections without an answer: perhaps it has another cluster-name or"
                    + " cluster-key-file";

    private final PacketCipher cipher;
    private final String refuses;
    private final Clock clock;
    private final Consumer<String> events;
    private final LongAdder refused = new LongAdder();
    private volatile @Nullable Refusal last;

    @GuardedBy("named")
    private final Set<InetAddress> named = new HashSet<>();

    /// How often each node has closed a connection without an answer in that time.
    @GuardedBy("named")
    private final Map<InetAddress, Integer> hangUps = new HashMap<>();

    @GuardedBy("named")
    private long namedSince;

    private record Refusal(InetAddress node, String format, long nanos) {
        String text() {
            return format.formatted(node.getHostAddress());
        }
    }

    /// `events` takes what happens to this node, as sentences without their subject.
    PacketGuard(PacketCipher cipher, boolean hasKey, Clock clock, Consumer<String> events) {
        this.cipher = cipher;
        this.clock = clock;
        this.events = events;
        namedSince = clock.nanos();
        refuses = "refuses packets from %s: they are not of a node with this cluster-name "
                + (hasKey ? "and this cluster-key-file" : "and no cluster-key-file");
    }

    /// Throws [TransportException] when the key file cannot be used.
    static PacketGuard of(JGroupsSettings settings, Consumer<String> events) {
        Path file = settings.keyFile();
        List<byte[]> keys = file == null ? List.of() : ClusterKey.read(file);
        PacketCipher cipher = new PacketCipher(settings.cluster(), keys, Randomness.secure());
        return new PacketGuard(cipher, file != null, Clock.system(), events);
    }

    byte[] seal(Kind kind, byte[] plain, int from, int length) {
        return cipher.seal(kind, plain, from, length);
    }

    /// The contents of a packet, or null if it is not one of this cluster.
    byte @Nullable [] open(Kind kind, @Nullable InetAddress sender, byte[] packet, int from, int length) {
        byte[] plain = cipher.open(kind, packet, from, length);
        if (plain == null) {
            onRefusal(sender, refuses);
        }
        return plain;
    }

    /// A node that this one has called has closed the connection without an answer. JGroups closes one of two
    /// connections that nodes opened to each other at the same time, so a single one means nothing.
    void onHangUp(InetAddress node) {
        if (isRepeated(node)) {
            onRefusal(node, REFUSED_BY);
        }
    }

    private void onRefusal(@Nullable InetAddress node, String format) {
        refused.increment();
        if (node != null) {
            Refusal now = new Refusal(node, format, clock.nanos());
            last = now;
            if (isToBeNamed(node)) {
                events.accept(now.text());
            }
        }
    }

    private boolean isRepeated(InetAddress node) {
        synchronized (named) {
            return (hangUps.size() < MOST_NAMED || hangUps.containsKey(node))
                    && hangUps.merge(node, 1, Integer::sum) >= HANG_UPS_NAMED;
        }
    }

    private boolean isToBeNamed(InetAddress sender) {
        synchronized (named) {
            long now = clock.nanos();
            if (now - namedSince >= NAMED_AGAIN_AFTER.toNanos()) {
                namedSince = now;
                named.clear();
                hangUps.clear();
            }
            return named.size() < MOST_NAMED && named.add(sender);
        }
    }

    static @Nullable InetAddress host(@Nullable Address sender) {
        return sender instanceof IpAddress address ? address.getIpAddress() : null;
    }

    /// How many packets and connections were refused, by this node or by others that it called.
    long packetsRefused() {
        return refused.sum();
    }

    /// The address of the node whose packet or connection was refused last, or that refused one; empty if there is
    /// none.
    String lastRefused() {
        Refusal refusal = last;
        return refusal == null ? "" : refusal.node().getHostAddress();
    }

    /// What was refused last, as a sentence without its subject; empty if nothing was within [#RECENT].
    String recentRefusal() {
        Refusal refusal = last;
        return refusal == null || clock.nanos() - refusal.nanos() >= RECENT.toNanos() ? "" : refusal.text();
    }
}
