package io.tallis.command.limit;

import io.tallis.command.Arguments;
import io.tallis.command.CommandError;
import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.CommandSettings;
import io.tallis.command.Numbers;
import io.tallis.command.cluster.Cluster;
import io.tallis.runtime.Live;

/// `CL.THROTTLE` and `HCOUNT WINDOW`. Both end with `[quantity] [SHARE]`, and reply a [Verdict].
public final class LimitCommands implements CommandFamily {
    private final Live<CommandSettings> settings;
    private final Cluster cluster;

    public LimitCommands(Live<CommandSettings> settings, Cluster cluster) {
        this.settings = settings;
        this.cluster = cluster;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("cl.throttle", new ThrottleCommand(cluster))
                .add("hcount|window", new WindowCommand(settings, cluster));
    }

    /// Whether a request with so many words before its options asks for shares: its last word says so.
    static boolean asksForShare(Arguments arguments, int words) {
        int last = arguments.count() - 1;
        return last >= words && arguments.is(last, "SHARE");
    }

    /// The quantity in the word behind the first ones, 1 if there is none.
    static long quantity(Arguments arguments, int words, boolean shares) {
        boolean isGiven = arguments.count() - (shares ? 1 : 0) > words;
        return isGiven ? notNegative(arguments, words, "quantity") : 1;
    }

    static long notNegative(Arguments arguments, int word, String name) {
        long number = Numbers.signed(arguments, word, "ERR Couldn't parse as integer: " + arguments.shown(word));
        if (number < 0) {
            throw new CommandError("ERR " + name + " must not be negative");
        }
        return number;
    }
}
