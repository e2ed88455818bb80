package io.tallis.command.pubsub;

import io.tallis.command.ByteString;
import io.tallis.command.Client;
import io.tallis.command.Glob;
import io.tallis.command.Reply;
import io.tallis.command.Subscriptions.Kind;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The index from channels to their subscribers on this node, and the delivery of messages. Any thread may publish; a
/// client subscribes on its event loop.
///
/// A message reaches the clients of this node only. Messages that a slow client has not taken count against its output
/// limits, like replies.
public final class PubSub {
    private final Map<ByteString, Set<Client>> channels = new ConcurrentHashMap<>();
    private final Map<ByteString, Set<Client>> patterns = new ConcurrentHashMap<>();
    private final Map<ByteString, Set<Client>> shardChannels = new ConcurrentHashMap<>();

    private Map<ByteString, Set<Client>> index(Kind kind) {
        return switch (kind) {
            case CHANNEL -> channels;
            case PATTERN -> patterns;
            case SHARD_CHANNEL -> shardChannels;
        };
    }

    public void subscribe(Client client, Kind kind, ByteString name) {
        if (client.subscriptions().add(kind, name)) {
            index(kind).compute(name, (_, known) -> {
                Set<Client> set = known == null ? ConcurrentHashMap.newKeySet() : known;
                set.add(client);
                return set;
            });
        }
    }

    public void unsubscribe(Client client, Kind kind, ByteString name) {
        if (client.subscriptions().remove(kind, name)) {
            index(kind).computeIfPresent(name, (_, known) -> {
                known.remove(client);
                return known.isEmpty() ? null : known;
            });
        }
    }

    /// Ends all subscriptions of a client.
    public void forget(Client client) {
        for (Kind kind : Kind.values()) {
            client.subscriptions().all(kind).forEach(name -> unsubscribe(client, kind, name));
        }
    }

    /// Sends a message to the subscribers of a channel, and of each pattern that matches it. Returns how often it was
    /// sent.
    public int publish(byte[] channel, byte[] message) {
        int bytes = channel.length + message.length;
        int sent = send(channels.get(new ByteString(channel)), bytes, reply -> {
            reply.push(3);
            reply.bulk("message");
            reply.bulk(channel);
            reply.bulk(message);
        });
        for (Map.Entry<ByteString, Set<Client>> entry : patterns.entrySet()) {
            byte[] pattern = entry.getKey().bytes();
            if (new Glob(pattern).matches(channel)) {
                sent += send(entry.getValue(), pattern.length + bytes, reply -> {
                    reply.push(4);
                    reply.bulk("pmessage");
                    reply.bulk(pattern);
                    reply.bulk(channel);
                    reply.bulk(message);
                });
            }
        }
        return sent;
    }

    /// As [#publish], to the subscribers of a shard channel.
    public int publishToShard(byte[] channel, byte[] message) {
        return send(shardChannels.get(new ByteString(channel)), channel.length + message.length, reply -> {
            reply.push(3);
            reply.bulk("smessage");
            reply.bulk(channel);
            reply.bulk(message);
        });
    }

    private static int send(@Nullable Set<Client> clients, int bytes, Consumer<Reply> message) {
        if (clients == null) {
            return 0;
        }
        int sent = 0;
        for (Client client : clients) {
            client.link().send(bytes, reply -> {
                // The client may have unsubscribed since, and would take the message for a reply.
                if (clients.contains(client)) {
                    message.accept(reply);
                }
            });
            sent++;
        }
        return sent;
    }

    /// The names with at least one subscriber, sorted.
    public List<byte[]> active(Kind kind) {
        return index(kind).keySet().stream()
                .map(ByteString::bytes)
                .sorted(Comparator.comparing(bytes -> new String(bytes, StandardCharsets.ISO_8859_1)))
                .toList();
    }

    /// The number of subscribers of one channel.
    public int subscribers(Kind kind, byte[] name) {
        Set<Client> set = index(kind).get(new ByteString(name));
        return set == null ? 0 : set.size();
    }

    /// The number of names with at least one subscriber.
    public int count(Kind kind) {
        return index(kind).size();
    }
}
