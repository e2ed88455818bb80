package io.tallis.command.clients;

import io.tallis.command.Client;
import io.tallis.command.pubsub.PubSub;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/// The clients that are connected, of all event loops. Any thread may call.
public final class ClientRegistry {
    private final ConcurrentMap<Long, Client> clients = new ConcurrentHashMap<>();
    private final CoarseTime time;
    private final PubSub pubSub;
    private final Monitors monitors;

    public ClientRegistry(CoarseTime time, PubSub pubSub, Monitors monitors) {
        this.time = time;
        this.pubSub = pubSub;
        this.monitors = monitors;
    }

    /// Adds a client. Called on its event loop, before its first command.
    public void opened(Client client) {
        client.opened(time.nanos());
        clients.put(client.id(), client);
    }

    /// Removes a client. Called on its event loop, after its last command.
    public void closed(Client client) {
        clients.remove(client.id());
        monitors.remove(client);
        pubSub.forget(client);
        client.transaction().end();
    }

    public @Nullable Client find(long id) {
        return clients.get(id);
    }

    /// All clients, in no order.
    public Collection<Client> unordered() {
        return clients.values();
    }

    /// All clients, oldest first.
    public List<Client> all() {
        return unordered().stream().sorted(Comparator.comparingLong(Client::id)).toList();
    }

    public int count() {
        return clients.size();
    }

    /// The line that describes a client, as `CLIENT LIST` has it.
    public String line(Client client) {
        return ClientLine.of(client, this);
    }

    /// The seconds since the client connected.
    public long ageSeconds(Client client) {
        return secondsSince(client.openedNanos());
    }

    /// The seconds since the client sent or was sent anything.
    public long idleSeconds(Client client) {
        return secondsSince(client.lastContactNanos());
    }

    private long secondsSince(long nanos) {
        return Math.max(0, time.nanos() - nanos) / 1_000_000_000;
    }
}
