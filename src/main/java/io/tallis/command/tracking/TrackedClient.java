package io.tallis.command.tracking;

import io.tallis.command.Arguments;
import io.tallis.command.ByteString;
import io.tallis.command.Client;
import io.tallis.command.CommandEntry;
import io.tallis.command.Reply;
import io.tallis.command.Tracker;
import io.tallis.command.facts.CommandFlag;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A client with tracking: its options, and the messages to it.
final class TrackedClient implements Tracker {
    private static final String CHANNEL = "__redis__:invalidate";

    /// Commands after which `CLIENT CACHING` still holds begin with this.
    private static final String CLIENT_COMMANDS = "client|";

    private static final int MESSAGE_BYTES = 64;

    private final Tracking tracking;
    private final Client client;
    private final TrackingOptions options;

    /// Whether `CLIENT CACHING` has asked for the other behaviour for the next request.
    private boolean caching;

    private volatile boolean broken;

    TrackedClient(Tracking tracking, Client client, TrackingOptions options) {
        this.tracking = tracking;
        this.client = client;
        this.options = options;
    }

    Client client() {
        return client;
    }

    TrackingOptions options() {
        return options;
    }

    boolean isCaching() {
        return caching;
    }

    void setCaching() {
        caching = true;
    }

    boolean isBroken() {
        return broken;
    }

    @Override
    public void beforeRun(CommandEntry entry, Arguments arguments) {
        if (entry.is(CommandFlag.READONLY) && entry.firstKey() > 0 && options.remembers(caching)) {
            int last = entry.lastKey(arguments.count());
            for (int word = entry.firstKey(); word <= last; word += entry.keyStep()) {
                tracking.remember(new ByteString(arguments.bytes(word)), client.id());
            }
        }
    }

    @Override
    public void afterRequest(CommandEntry entry) {
        if (caching
                && !client.transaction().isOpen()
                && !entry.spec().fullName().startsWith(CLIENT_COMMANDS)) {
            caching = false;
        }
    }

    @Override
    public String flags() {
        return "t" + (broken ? "R" : "") + (options.broadcasts() ? "B" : "");
    }

    @Override
    public long redirect() {
        return options.redirect();
    }

    /// Tells the client that keys have changed, all of them if it is null. Any thread may call.
    void invalidate(@Nullable List<byte[]> keys) {
        boolean redirects = options.redirect() != 0;
        Client target = redirects ? tracking.find(options.redirect()) : client;
        if (target == null) {
            tellBroken();
            return;
        }
        int bytes = MESSAGE_BYTES;
        if (keys != null) {
            bytes += keys.stream().mapToInt(key -> key.length + 16).sum();
        }
        target.link().send(bytes, reply -> write(target, redirects, keys, reply));
    }

    /// In RESP2 a message without a subscription would be taken for a reply.
    private static void write(Client target, boolean redirects, @Nullable List<byte[]> keys, Reply reply) {
        if (target.protocol() > 2) {
            reply.push(2);
            reply.bulk("invalidate");
            write(keys, reply);
        } else if (redirects && target.onlySubscribes()) {
            reply.push(3);
            reply.bulk("message");
            reply.bulk(CHANNEL);
            write(keys, reply);
        }
    }

    private static void write(@Nullable List<byte[]> keys, Reply reply) {
        if (keys == null) {
            reply.nil();
        } else {
            reply.array(keys.size());
            keys.forEach(reply::bulk);
        }
    }

    private void tellBroken() {
        broken = true;
        client.link().send(MESSAGE_BYTES, reply -> {
            if (client.protocol() > 2) {
                reply.push(2);
                reply.bulk("tracking-redir-broken");
                reply.integer(options.redirect());
            }
        });
    }
}
