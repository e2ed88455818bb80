package io.tallis.command.limit;

import static io.tallis.command.limit.LimitCommands.notNegative;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.KeyEvent;
import io.tallis.command.Reply;
import io.tallis.command.cluster.Cluster;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import java.util.concurrent.TimeUnit;

/// `CL.THROTTLE key max_burst count_per_period period_seconds [quantity] [SHARE]`: limits a rate, in the grammar of the
/// module redis-cell, and with [Share] besides.
///
/// Admits `max_burst` + 1 requests at once, and as time passes `count_per_period` more in each period; a request takes
/// the place of `quantity`, 0 only asks.
final class ThrottleCommand implements Command {
    /// The longest time of a period and of a burst: with it a moment has 64 bits in nanoseconds for the next centuries.
    private static final long MOST_NANOS = TimeUnit.DAYS.toNanos(10_000);

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int WORDS = 5;

    private final Cluster cluster;

    ThrottleCommand(Cluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        boolean shares = LimitCommands.asksForShare(arguments, WORDS);
        if (arguments.count() > WORDS + (shares ? 2 : 1)) {
            throw new CommandError(
                    "ERR Usage: cl.throttle <key> <max_burst> <count per period> <period> [<quantity>] [SHARE]");
        }
        long maxBurst = notNegative(arguments, 2, "max_burst");
        long interval = interval(notNegative(arguments, 3, "count"), notNegative(arguments, 4, "period"));
        long quantity = LimitCommands.quantity(arguments, WORDS, shares);
        if (maxBurst >= MOST_NANOS / interval) {
            throw new CommandError("ERR a burst is worth more than 10000 days of the rate");
        }
        Share share = Share.now(shares, cluster);
        Rate rate = new Rate(share.interval(interval, MOST_NANOS), share.of(maxBurst + 1));
        admit(arguments.key(1), rate, quantity, client).tell(reply);
    }

    /// The time between two requests, and how many are admitted at once.
    private record Rate(long interval, long limit) {
        long burst() {
            return interval * limit;
        }

        long cost(long quantity) {
            return quantity > limit ? Long.MAX_VALUE : interval * quantity;
        }
    }

    private static Verdict admit(Key key, Rate rate, long quantity, Client client) {
        Counters counters = client.counters();
        long cost = rate.cost(quantity);
        Counters.Increment result = counters.admit(key, cost, rate.burst());
        return switch (result) {
            case DONE -> {
                if (cost > 0) {
                    client.happened(KeyEvent.INCRBY, key);
                }
                yield verdict(true, rate, Verdict.NEVER, counters);
            }
            case SKIPPED -> verdict(false, rate, wait(cost, rate.burst(), counters), counters);
            case OUT_OF_RANGE -> throw CommandError.overflow();
            case WRONG_TYPE -> throw CommandError.wrongType();
            case NO_NUMBER -> throw CommandError.noNumber();
            case NOT_HERE, TOO_MANY_TOKENS -> throw new IllegalStateException("a request without a token");
        };
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

    private static long wait(long cost, long burst, Counters counters) {
        return cost > burst ? Verdict.NEVER : millis(Math.min(counters.debt() - (burst - cost), counters.debtEnds()));
    }

    private static Verdict verdict(boolean admitted, Rate rate, long waitMillis, Counters counters) {
        long left = (rate.burst() - counters.debt()) / rate.interval();
        long resetMillis = millis(Math.min(counters.debt(), counters.debtEnds()));
        return new Verdict(admitted, rate.limit(), left, waitMillis, resetMillis);
    }

    private static long millis(long nanos) {
        return Math.ceilDiv(nanos, MILLI);
    }
}
