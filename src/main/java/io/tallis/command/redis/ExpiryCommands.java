package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.CommandSet;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import java.util.List;
import java.util.function.Consumer;

/// Redis's commands about expiry, which counters do not have.
///
/// What would set an expiry is refused, also in a transaction, as soon as it is queued. The words are parsed as in
/// Redis first, so that a mistake gets Redis's error.
final class ExpiryCommands {
    private static final String NOT_SUPPORTED = "ERR expiry is not supported: counters do not expire, and a rate limit"
            + " made of INCR and EXPIRE would never reset";

    private ExpiryCommands() {}

    static void addTo(CommandSet commands) {
        for (String name : List.of("expire", "pexpire", "expireat", "pexpireat")) {
            commands.add(name, new Refusal(ExpiryCommands::refuseExpire));
        }
        for (String name : List.of("setex", "psetex")) {
            commands.add(name, new Refusal(arguments -> refuseTime(arguments, 2, name)));
        }
        for (String name : List.of("ttl", "pttl", "expiretime", "pexpiretime")) {
            commands.add(name, ExpiryCommands::timeToLive);
        }
        commands.add("persist", (_, _, reply) -> reply.integer(0));
        commands.add("getex", new GetEx());
    }

    /// A command that always throws.
    private record Refusal(Consumer<Arguments> refuse) implements Command {
        @Override
        public void run(Arguments arguments, Client client, Reply reply) {
            refuse.accept(arguments);
        }

        @Override
        public void refuseImpossible(Arguments arguments) {
            refuse.accept(arguments);
        }
    }

    /// `EXPIRE key seconds [NX | XX | GT | LT]` and its variants: refused whether the key exists or not.
    private static void refuseExpire(Arguments arguments) {
        for (int word = 3; word < arguments.count(); word++) {
            if (!isCondition(arguments, word)) {
                throw new CommandError("ERR Unsupported option " + arguments.shown(word));
            }
        }
        Numbers.signed(arguments, 2);
        throw new CommandError(NOT_SUPPORTED);
    }

    private static boolean isCondition(Arguments arguments, int word) {
        return arguments.is(word, "NX")
                || arguments.is(word, "XX")
                || arguments.is(word, "GT")
                || arguments.is(word, "LT");
    }

    /// Refuses an expiry at the time in that word.
    static void refuseTime(Arguments arguments, int timeWord, String command) {
        boolean isTime = Numbers.signed(arguments, timeWord) > 0;
        throw new CommandError(isTime ? NOT_SUPPORTED : "ERR invalid expire time in '" + command + "' command");
    }

    /// Whether the word is an option that sets an expiry, followed by a time.
    static boolean isOption(Arguments arguments, int word) {
        return arguments.is(word, "EX")
                || arguments.is(word, "PX")
                || arguments.is(word, "EXAT")
                || arguments.is(word, "PXAT");
    }

    /// Refuses options that set an expiry, from that word to the end.
    static void requireNoOption(Arguments arguments, int from) {
        for (int word = from; word < arguments.count(); word++) {
            if (isOption(arguments, word)) {
                throw new CommandError(NOT_SUPPORTED);
            }
        }
    }

    /// `TTL key` and its variants: -1 (no expiry) for a key that exists, else -2.
    private static void timeToLive(Arguments arguments, Client client, Reply reply) {
        reply.integer(client.lookedUp(client.counters().exists(arguments.key(1))) ? -1 : -2);
    }

    /// `GETEX key [PERSIST]`: as `GET`. An option that sets an expiry is refused if the key exists.
    private static final class GetEx implements Command {
        @Override
        public void run(Arguments arguments, Client client, Reply reply) {
            boolean setsExpiry = arguments.count() == 4 && isOption(arguments, 2);
            boolean isPlain = arguments.count() == 2 || (arguments.count() == 3 && arguments.is(2, "PERSIST"));
            if (!isPlain && !setsExpiry) {
                throw CommandError.syntax();
            }
            if (setsExpiry && client.counters().exists(arguments.key(1))) {
                refuseTime(arguments, 3, "getex");
            }
            KeyValues.answer(arguments.key(1), client, reply);
        }

        @Override
        public void refuseImpossible(Arguments arguments) {
            requireNoOption(arguments, 2);
        }
    }
}
