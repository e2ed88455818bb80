package io.tallis.command.tracking;

import io.tallis.command.Arguments;
import io.tallis.command.ByteString;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.Link;
import io.tallis.command.Reply;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `CLIENT TRACKING`, `CLIENT CACHING`, `CLIENT TRACKINGINFO`, `CLIENT GETREDIR`.
public final class TrackingCommands implements CommandFamily {
    private static final ByteString EVERYTHING = new ByteString(new byte[0]);

    private final Tracking tracking;

    public TrackingCommands(Tracking tracking) {
        this.tracking = tracking;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("client|tracking", this::track)
                .add("client|caching", this::cache)
                .add("client|trackinginfo", this::info)
                .add("client|getredir", this::redirect);
    }

    /// `CLIENT TRACKING ON|OFF [REDIRECT client-id] [PREFIX prefix ...] [BCAST] [OPTIN] [OPTOUT] [NOLOOP]`
    private void track(Arguments arguments, Client client, Reply reply) {
        boolean on = arguments.is(2, "ON");
        if (!on && !arguments.is(2, "OFF")) {
            throw CommandError.syntax();
        }
        TrackedClient before = tracking.of(client);
        TrackingOptions options = TrackingOptions.of(arguments, 3, prefixes(before));
        if (options.redirect() != 0 && tracking.find(options.redirect()) == null) {
            throw new CommandError("ERR The client ID you want redirect to does not exist");
        }
        if (!on) {
            tracking.end(client);
            reply.ok();
            return;
        }
        if (before != null && before.options().broadcasts() != options.broadcasts()) {
            throw new CommandError("ERR You can't switch BCAST mode on/off before disabling tracking for this client,"
                    + " and then re-enabling it with a different mode.");
        }
        begin(new TrackedClient(tracking, client, options), client);
    }

    /// The client gets its reply when everything that changes from then on is told.
    private void begin(TrackedClient tracked, Client client) {
        Link.Suspension suspension = client.suspend();
        if (tracking.begin(tracked, () -> suspension.resume(Reply::ok))) {
            suspension.resume(Reply::ok);
        }
    }

    private static List<ByteString> prefixes(@Nullable TrackedClient client) {
        if (client == null) {
            return List.of();
        }
        return client.options().prefixes().stream()
                .filter(prefix -> !prefix.equals(EVERYTHING))
                .toList();
    }

    /// `CLIENT CACHING YES|NO`: for the next command.
    private void cache(Arguments arguments, Client client, Reply reply) {
        TrackedClient tracked = tracking.of(client);
        if (tracked == null) {
            throw new CommandError(
                    "ERR CLIENT CACHING can be called only when the client is in tracking mode with OPTIN"
                            + " or OPTOUT mode enabled");
        }
        if (arguments.is(2, "YES")) {
            require(tracked.options().optsIn(), "YES", "OPTIN");
        } else if (arguments.is(2, "NO")) {
            require(tracked.options().optsOut(), "NO", "OPTOUT");
        } else {
            throw CommandError.syntax();
        }
        tracked.setCaching();
        reply.ok();
    }

    private static void require(boolean holds, String answer, String mode) {
        if (!holds) {
            throw new CommandError(
                    "ERR CLIENT CACHING " + answer + " is only valid when tracking is enabled in " + mode + " mode.");
        }
    }

    private void info(Arguments arguments, Client client, Reply reply) {
        TrackedClient tracked = tracking.of(client);
        List<String> flags = flags(tracked);
        reply.map(3);
        reply.bulk("flags");
        reply.set(flags.size());
        flags.forEach(reply::bulk);
        reply.bulk("redirect");
        reply.integer(tracked == null ? -1 : tracked.redirect());
        reply.bulk("prefixes");
        List<ByteString> prefixes = prefixes(tracked);
        reply.array(prefixes.size());
        prefixes.forEach(prefix -> reply.bulk(prefix.bytes()));
    }

    private static List<String> flags(@Nullable TrackedClient tracked) {
        if (tracked == null) {
            return List.of("off");
        }
        TrackingOptions options = tracked.options();
        List<String> flags = new ArrayList<>();
        flags.add("on");
        addIf(options.broadcasts(), "bcast", flags);
        addIf(options.optsIn(), "optin", flags);
        addIf(options.optsIn() && tracked.isCaching(), "caching-yes", flags);
        addIf(options.optsOut(), "optout", flags);
        addIf(options.optsOut() && tracked.isCaching(), "caching-no", flags);
        addIf(options.skipsOwn(), "noloop", flags);
        addIf(tracked.isBroken(), "broken_redirect", flags);
        return flags;
    }

    private static void addIf(boolean holds, String flag, List<String> flags) {
        if (holds) {
            flags.add(flag);
        }
    }

    /// `CLIENT GETREDIR`: -1 without tracking, 0 without `REDIRECT`.
    private void redirect(Arguments arguments, Client client, Reply reply) {
        TrackedClient tracked = tracking.of(client);
        reply.integer(tracked == null ? -1 : tracked.redirect());
    }
}
