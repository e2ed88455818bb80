package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.KeyEvent;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import java.util.concurrent.TimeUnit;

/// `CL.THROTTLE key max_burst count_per_period period_seconds [quantity]`: limits a rate, in the grammar of the module
/// redis-cell.
///
/// Admits `max_burst` + 1 requests at once, and as time passes `count_per_period` more in each period; a request takes
/// the place of `quantity`, 0 only asks. Replies five numbers: 0 if it is admitted, else 1; the limit `max_burst` + 1;
/// how many more would be admitted now; after how many seconds to ask again, -1 if this is admitted or never will be;
/// after how many seconds the whole limit is there again.
final class ThrottleCommand implements Command {
    /// The longest time of a period and of a burst: with it a moment has 64 bits in nanoseconds for the next centuries.
    private static final long MOST_NANOS = TimeUnit.DAYS.toNanos(10_000);

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() > 6) {
            throw new CommandError("ERR Usage: cl.throttle <key> <max_burst> <count per period> <period> [<quantity>]");
        }
        long maxBurst = notNegative(arguments, 2, "max_burst");
        long interval = interval(notNegative(arguments, 3, "count"), notNegative(arguments, 4, "period"));
        long quantity = arguments.count() == 6 ? notNegative(arguments, 5, "quantity") : 1;
        if (maxBurst >= MOST_NANOS / interval) {
            throw new CommandError("ERR a burst is worth more than 10000 days of the rate");
        }
        long limit = maxBurst + 1;
        long burst = interval * limit;
        long cost = quantity > limit ? Long.MAX_VALUE : interval * quantity;
        Counters counters = client.counters();
        Key key = arguments.key(1);
        switch (counters.admit(key, cost, burst)) {
            case DONE -> {
                if (cost > 0) {
                    client.happened(KeyEvent.INCRBY, key);
                }
                answer(0, limit, interval, -1, counters, reply);
            }
            case SKIPPED -> answer(1, limit, interval, retryAfter(cost, burst, counters), counters, reply);
            case OUT_OF_RANGE -> throw CommandError.overflow();
            case WRONG_TYPE -> throw CommandError.wrongType();
            case NO_NUMBER -> throw CommandError.noNumber();
            case NOT_HERE, TOO_MANY_TOKENS -> throw new IllegalStateException("a request without a token");
        }
    }

    private static long notNegative(Arguments arguments, int word, String name) {
        long number = Numbers.signed(arguments, word, "ERR Couldn't parse as integer: " + arguments.shown(word));
        if (number < 0) {
            throw new CommandError("ERR " + name + " must not be negative");
        }
        return number;
    }

    /// The time between two requests at exactly the rate, rounded up.
    private static long interval(long count, long seconds) {
        if (count == 0 || seconds == 0) {
            throw new CommandError("ERR Zero rates are not supported");
        }
        if (seconds > MOST_NANOS / SECOND) {
            throw new CommandError("ERR period must be at most 10000 days");
        }
        return Math.ceilDiv(seconds * SECOND, count);
    }

    private static long retryAfter(long cost, long burst, Counters counters) {
        return cost > burst ? -1 : seconds(Math.min(counters.debt() - (burst - cost), counters.debtEnds()));
    }

    private static void answer(
            int limited, long limit, long interval, long retryAfter, Counters counters, Reply reply) {
        reply.array(5);
        reply.integer(limited);
        reply.integer(limit);
        reply.integer(Math.max(0, (interval * limit - counters.debt()) / interval));
        reply.integer(retryAfter);
        reply.integer(seconds(Math.min(counters.debt(), counters.debtEnds())));
    }

    private static long seconds(long nanos) {
        return Math.ceilDiv(nanos, SECOND);
    }
}
