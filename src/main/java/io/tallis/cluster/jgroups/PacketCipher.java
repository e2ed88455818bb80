package io.tallis.cluster.jgroups;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.tallis.runtime.Randomness;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.HKDFParameterSpec;
import org.jspecify.annotations.Nullable;

/// Encrypts and authenticates all that one node sends to others, a packet at a time, below JGroups.
///
/// JGroups believes what it reads: a length of 2 GB in a packet of 14 bytes is allocated, a fragment count and a
/// sequence number size tables, a class name is instantiated; and it reads all of that before its own SYM_ENCRYPT has
/// seen the packet. Rather than check each of those fields, the transports hand JGroups nothing that this class has not
/// authenticated. A packet on the wire, as a datagram or behind a length on a connection, is
///
///     kind 1 | salt 16 | number 8 | ciphertext | tag 16
///
/// AES-256 in Galois/counter mode; what stands before the ciphertext is authenticated with it. The salt is drawn once
/// per sender and names its session; the session's key is HKDF-Expand(root key, salt). The nonce is the number, which
/// counts the sender's packets, so no nonce is used twice under one key, and a root key does not wear out. (The clone
/// of a running virtual machine would repeat both. It would also repeat the replica id, which is worse.)
///
/// The root keys are derived from the cluster's name and the keys of `cluster-key-file`: the first one seals, each of
/// them opens, so that a key can be changed while the cluster runs. The name keeps clusters apart that were given the
/// same file. Without a file the root key is derived from the name alone. That is no secret: it keeps out packets of
/// port scans, other programs and other clusters, but no attacker, who can join such a cluster as easily as any node
/// can. That is why a cluster without a key needs `cluster-insecure` beyond the loopback address.
///
/// What an attacker without the key can still do:
/// * Cost time. A packet of an unknown session costs one derivation for each root key, about as much as opening it.
///   Nothing is remembered of a packet that fails.
/// * Replay a recorded packet, even one of years ago, as no session of the past is known to be over. Counters are
///   merged by maximum, so that changes no count; but while it goes on it can keep a dead node in the view, have nodes
///   act on an old request or on what a former cluster said, or break a connection.
/// * Read sizes and times.
///
/// Called by any thread. A lock is held for one packet, never over input or output.
final class PacketCipher {
    /// What a packet is for; one kind is never taken for the other.
    enum Kind {
        /// Message for JGroups.
        MESSAGE(0x11),
        /// First bytes of a connection, which name the address of its sender.
        HELLO(0x12);

        private final byte code;

        Kind(int code) {
            this.code = (byte) code;
        }
    }

    private static final int SALT_BYTES = 2 * Long.BYTES;
    private static final int HEADER_BYTES = 1 + SALT_BYTES + Long.BYTES;
    private static final int TAG_BYTES = 16;

    /// By how much a packet is longer than its contents.
    static final int OVERHEAD = HEADER_BYTES + TAG_BYTES;

    /// How many sessions' keys are kept: more than there are nodes. Beyond that an arbitrary one is dropped, and
    /// derived again when it is needed.
    static final int MOST_SESSIONS = 1_000;

    private static final String CIPHER = "AES/GCM/NoPadding";
    private static final int NONCE_BYTES = 12;
    private static final int KEY_BYTES = 32;

    /// Stands for the file where there is none.
    private static final byte[] NO_KEY = "no cluster-key-file".getBytes(UTF_8);

    private final List<SecretKey> roots;
    private final Map<Salt, Session> sessions = new ConcurrentHashMap<>();
    private final Salt ownSalt;
    private final Session own;

    @GuardedBy("own")
    private long packets;

    /// The first of `keys` seals packets, each of them opens some. A cluster without a key file has no keys.
    PacketCipher(String cluster, List<byte[]> keys, Randomness randomness) {
        roots = (keys.isEmpty() ? List.of(NO_KEY) : keys)
                .stream().map(key -> root(cluster, key)).toList();
        ownSalt = new Salt(randomness.nextLong(), randomness.nextLong());
        own = session(roots.getFirst(), ownSalt);
    }

    byte[] seal(Kind kind, byte[] plain, int from, int length) {
        byte[] packet = new byte[OVERHEAD + length];
        synchronized (own) {
            long number = packets++;
            ByteBuffer header = ByteBuffer.wrap(packet).put(kind.code);
            header.putLong(ownSalt.high).putLong(ownSalt.low).putLong(number);
            try {
                own.start(Cipher.ENCRYPT_MODE, number, packet, 0);
                own.cipher.doFinal(plain, from, length, packet, HEADER_BYTES);
                return packet;
            } catch (GeneralSecurityException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }

    /// The contents of the packet in `buffer`, or null if no root key opens it as one of that kind.
    byte @Nullable [] open(Kind kind, byte[] buffer, int from, int length) {
        if (length < OVERHEAD || buffer[from] != kind.code) {
            return null;
        }
        ByteBuffer header = ByteBuffer.wrap(buffer, from + 1, HEADER_BYTES - 1);
        var salt = new Salt(header.getLong(), header.getLong());
        long number = header.getLong();
        Session known = sessions.get(salt);
        if (known != null) {
            return known.open(number, buffer, from, length);
        }
        for (SecretKey root : roots) {
            Session derived = session(root, salt);
            byte[] plain = derived.open(number, buffer, from, length);
            if (plain != null) {
                remember(salt, derived);
                return plain;
            }
        }
        return null;
    }

    private void remember(Salt salt, Session session) {
        Iterator<Salt> any = sessions.keySet().iterator();
        if (sessions.size() >= MOST_SESSIONS && any.hasNext()) {
            sessions.remove(any.next());
        }
        sessions.put(salt, session);
    }

    int sessions() {
        return sessions.size();
    }

    private static SecretKey root(String cluster, byte[] key) {
        byte[] name = ("tallis cluster " + cluster).getBytes(UTF_8);
        return derived(HKDFParameterSpec.ofExtract().addSalt(name).addIKM(key).extractOnly(), "Generic");
    }

    private static Session session(SecretKey root, Salt salt) {
        byte[] info = ByteBuffer.allocate(SALT_BYTES)
                .putLong(salt.high)
                .putLong(salt.low)
                .array();
        try {
            return new Session(
                    derived(HKDFParameterSpec.expandOnly(root, info, KEY_BYTES), "AES"), Cipher.getInstance(CIPHER));
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }

    private static SecretKey derived(HKDFParameterSpec how, String algorithm) {
        try {
            return KDF.getInstance("HKDF-SHA256").deriveKey(algorithm, how);
        } catch (GeneralSecurityException missing) {
            throw new IllegalStateException(missing);
        }
    }

    private record Salt(long high, long low) {}

    /// A key and the one cipher that uses it, which is for one thread at a time.
    private record Session(SecretKey key, Cipher cipher) {
        private void start(int mode, long number, byte[] packet, int from) throws GeneralSecurityException {
            byte[] nonce = ByteBuffer.allocate(NONCE_BYTES).putLong(4, number).array();
            cipher.init(mode, key, new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce));
            cipher.updateAAD(packet, from, HEADER_BYTES);
        }

        private synchronized byte @Nullable [] open(long number, byte[] packet, int from, int length) {
            try {
                start(Cipher.DECRYPT_MODE, number, packet, from);
                return cipher.doFinal(packet, from + HEADER_BYTES, length - HEADER_BYTES);
            } catch (AEADBadTagException _) {
                return null;
            } catch (GeneralSecurityException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }
}
