package io.tallis.command;

import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The channels and patterns that one client is subscribed to. Belongs to the client's event loop; any thread may read
/// the counts.
public final class Subscriptions {
    /// The most channels and patterns of one client.
    public static final int MOST = 1 << 14;

    /// The most bytes of names of one client's channels and patterns.
    public static final int MOST_BYTES = 1 << 20;

    /// About how many bytes a subscription takes besides its name, for a channel without other subscribers.
    static final int BYTES_OF_ONE = 320;

    /// The kinds of subscriptions.
    public enum Kind {
        CHANNEL("subscribe", "unsubscribe"),
        PATTERN("psubscribe", "punsubscribe"),
        SHARD_CHANNEL("ssubscribe", "sunsubscribe");

        private final String subscribing;
        private final String unsubscribing;

        Kind(String subscribing, String unsubscribing) {
            this.subscribing = subscribing;
            this.unsubscribing = unsubscribing;
        }

        /// The first word of the confirmation of a new subscription.
        public String subscribing() {
            return subscribing;
        }

        public String unsubscribing() {
            return unsubscribing;
        }
    }

    private final Map<Kind, Set<ByteString>> names = new EnumMap<>(Kind.class);
    private volatile int bytes;
    private volatile int channels;
    private volatile int patterns;
    private volatile int shardChannels;

    /// About how many bytes all subscriptions take, here and in the index of channels. Any thread may call this.
    long memory() {
        return bytes + (long) count() * BYTES_OF_ONE;
    }

    /// Whether these subscriptions, as far as they are new, stay within the bounds.
    public boolean hasRoomFor(Kind kind, Collection<ByteString> more) {
        Set<ByteString> added = new HashSet<>(more);
        added.removeAll(names.getOrDefault(kind, Set.of()));
        long addedBytes = added.stream().mapToLong(name -> name.bytes().length).sum();
        return count() + added.size() <= MOST && bytes + addedBytes <= MOST_BYTES;
    }

    /// Adds a subscription. Returns false when it exists already.
    public boolean add(Kind kind, ByteString name) {
        boolean added = names.computeIfAbsent(kind, _ -> new LinkedHashSet<>()).add(name);
        recount(added ? name.bytes().length : 0);
        return added;
    }

    /// Removes a subscription. Returns false when there is none.
    public boolean remove(Kind kind, ByteString name) {
        Set<ByteString> known = names.get(kind);
        boolean removed = known != null && known.remove(name);
        recount(removed ? -name.bytes().length : 0);
        return removed;
    }

    private void recount(int moreBytes) {
        int now = bytes + moreBytes;
        bytes = now;
        channels = count(Kind.CHANNEL);
        patterns = count(Kind.PATTERN);
        shardChannels = count(Kind.SHARD_CHANNEL);
    }

    private int count(Kind kind) {
        return names.getOrDefault(kind, Set.of()).size();
    }

    /// The names of one kind, oldest first.
    public List<ByteString> all(Kind kind) {
        return List.copyOf(names.getOrDefault(kind, Set.of()));
    }

    public int channels() {
        return channels;
    }

    public int patterns() {
        return patterns;
    }

    public int shardChannels() {
        return shardChannels;
    }

    public int count() {
        return channels + patterns + shardChannels;
    }
}
