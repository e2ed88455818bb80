package io.tallis.cluster.jgroups;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.cluster.jgroups.PacketCipher.Kind;
import io.tallis.runtime.Clock;
import io.tallis.runtime.Randomness;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.jgroups.Address;
import org.jgroups.stack.IpAddress;
import org.jspecify.annotations.Nullable;

/// Guard of the cluster port: lets packets of this cluster's nodes in, counts the others, and names their senders.
///
/// A node with another key is the common case. Over UDP it refuses packets of this node as this one does with its; over
/// TCP it closes connections that this node makes; so both logs name the other. A sender is named once in
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

    private static final Logger LOG = System.getLogger(PacketGuard.class.getName());

    private final PacketCipher cipher;
    private final String reason;
    private final Clock clock;
    private final LongAdder refused = new LongAdder();

    @GuardedBy("named")
    private final Set<InetAddress> named = new HashSet<>();

    /// How often each node has closed a connection without an answer in that time.
    @GuardedBy("named")
    private final Map<InetAddress, Integer> hangUps = new HashMap<>();

    @GuardedBy("named")
    private long namedSince;

    PacketGuard(PacketCipher cipher, boolean hasKey, Clock clock) {
        this.cipher = cipher;
        this.clock = clock;
        namedSince = clock.nanos();
        reason = hasKey
                ? "it is not encrypted with a key of cluster-key-file"
                : "it was sent with another cluster-name, or with a cluster-key-file, and this node has none";
    }

    /// Throws [TransportException] when the key file cannot be used.
    static PacketGuard of(JGroupsSettings settings) {
        Path file = settings.keyFile();
        List<byte[]> keys = file == null ? PacketCipher.keysOfName(settings.cluster()) : ClusterKey.read(file);
        return new PacketGuard(new PacketCipher(keys, Randomness.secure()), file != null, Clock.system());
    }

    byte[] seal(Kind kind, byte[] plain, int from, int length) {
        return cipher.seal(kind, plain, from, length);
    }

    /// The contents of a packet, or null if it is not one of this cluster.
    byte @Nullable [] open(Kind kind, @Nullable InetAddress sender, byte[] packet, int from, int length) {
        byte[] plain = cipher.open(kind, packet, from, length);
        if (plain == null) {
            refused.increment();
            if (sender != null && isToBeNamed(sender)) {
                LOG.log(Level.WARNING, "Dropped a packet from " + sender.getHostAddress() + ": " + reason);
            }
        }
        return plain;
    }

    /// A node that this one has called has closed the connection without an answer. JGroups closes one of two
    /// connections that nodes opened to each other at the same time, so a single one means nothing.
    void onHangUp(InetAddress node) {
        if (!isRepeated(node)) {
            return;
        }
        refused.increment();
        if (isToBeNamed(node)) {
            LOG.log(
                    Level.WARNING,
                    node.getHostAddress()
                            + " closed a connection of this node without an answer: perhaps it has another"
                            + " cluster-key-file or cluster-name");
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
}
