package io.tallis.command;

import io.tallis.crdt.Life;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Counters.DeadlineRule;
import org.jspecify.annotations.Nullable;

/// The forms in which requests and replies have a deadline: seconds or milliseconds, from now or since 1970.
public enum TimeForm {
    SECONDS(1000, true),
    MILLIS(1, true),
    UNIX_SECONDS(1000, false),
    UNIX_MILLIS(1, false);

    private final long unit;
    private final boolean fromNow;

    TimeForm(long unit, boolean fromNow) {
        this.unit = unit;
        this.fromNow = fromNow;
    }

    /// The form that an option of `SET` and others names, null for another word.
    public static @Nullable TimeForm ofOption(Arguments arguments, int word) {
        return switch (arguments.length(word)) {
            case 2 -> arguments.is(word, "EX") ? SECONDS : arguments.is(word, "PX") ? MILLIS : null;
            case 4 -> arguments.is(word, "EXAT") ? UNIX_SECONDS : arguments.is(word, "PXAT") ? UNIX_MILLIS : null;
            default -> null;
        };
    }

    /// The deadline that a word gives, which may have come already. `command` is named in the error.
    public long deadline(Arguments arguments, int word, Client client, String command) {
        return deadline(Numbers.signed(arguments, word), client, command);
    }

    private long deadline(long time, Client client, String command) {
        if (time > Long.MAX_VALUE / unit || time < Long.MIN_VALUE / unit) {
            throw invalid(command);
        }
        long millis = time * unit;
        long base = fromNow ? now(client) : 0;
        if (millis > Long.MAX_VALUE - base) {
            throw invalid(command);
        }
        return Math.min(millis + base, Life.NEVER - 1);
    }

    /// The same for commands that take positive times only.
    public long positive(Arguments arguments, int word, Client client, String command) {
        long time = Numbers.signed(arguments, word);
        if (time <= 0) {
            throw invalid(command);
        }
        return deadline(time, client, command);
    }

    private static CommandError invalid(String command) {
        return new CommandError("ERR invalid expire time in '" + command + "' command");
    }

    /// Replies a deadline as `TTL` and its variants do: -2 for [Counters#ABSENT], -1 for [Life#NEVER].
    public void answer(long deadline, Client client, Reply reply) {
        if (deadline == Counters.ABSENT || deadline == Life.NEVER) {
            reply.integer(deadline == Life.NEVER ? -1 : -2);
            return;
        }
        long millis = fromNow ? Math.max(0, deadline - now(client)) : deadline;
        boolean roundsUp = millis % unit >= (unit + 1) / 2;
        reply.integer(millis / unit + (roundsUp && unit > 1 ? 1 : 0));
    }

    private static long now(Client client) {
        return client.counters().now();
    }

    /// Reads the conditions of `EXPIRE`, from a word to the end: `NX` if there is no deadline, `XX` if there is one,
    /// `GT` if the new one is later, `LT` if it is earlier. None is as late as can be.
    public static DeadlineRule rule(Arguments arguments, int from) {
        boolean ifNone = false;
        boolean ifAny = false;
        boolean ifLater = false;
        boolean ifEarlier = false;
        for (int word = from; word < arguments.count(); word++) {
            if (arguments.is(word, "NX")) {
                ifNone = true;
            } else if (arguments.is(word, "XX")) {
                ifAny = true;
            } else if (arguments.is(word, "GT")) {
                ifLater = true;
            } else if (arguments.is(word, "LT")) {
                ifEarlier = true;
            } else {
                throw new CommandError("ERR Unsupported option " + arguments.shown(word, Integer.MAX_VALUE));
            }
        }
        if (ifNone && (ifAny || ifLater || ifEarlier)) {
            throw new CommandError("ERR NX and XX, GT or LT options at the same time are not compatible");
        }
        if (ifLater && ifEarlier) {
            throw new CommandError("ERR GT and LT options at the same time are not compatible");
        }
        return rule(ifNone, ifAny, ifLater, ifEarlier);
    }

    private static DeadlineRule rule(boolean ifNone, boolean ifAny, boolean ifLater, boolean ifEarlier) {
        if (ifNone) {
            return (present, _) -> present == Life.NEVER;
        }
        return (present, wanted) -> !(ifAny && present == Life.NEVER)
                && !(ifLater && wanted <= present)
                && !(ifEarlier && wanted >= present);
    }
}
