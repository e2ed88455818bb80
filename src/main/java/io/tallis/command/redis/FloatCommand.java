package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.KeyEvent;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Counters.Increment;
import io.tallis.keyspace.Key;

/// `INCRBYFLOAT key increment`: `INCRBY` for clients that count whole amounts with floats (`5`, `5.0`, `1e2`), with the
/// value as a string.
///
/// A fraction has no place in a counter that nodes merge, so it is refused and never rounded. A value that was assigned
/// as `5.0` is a text: it is replaced by the sum, as `APPEND` replaces a value.
final class FloatCommand implements Command {
    private static final String INFINITE = "ERR increment would produce NaN or Infinity";

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        long delta = Numbers.whole(arguments.array(), arguments.offset(2), arguments.length(2), INFINITE);
        Key key = arguments.key(1);
        Counters counters = client.counters();
        counters.lock(key);
        try {
            Increment result = counters.increment(key, delta);
            switch (result) {
                case DONE -> reply.digits(counters.value());
                case OUT_OF_RANGE -> throw CommandError.overflow();
                case WRONG_TYPE -> throw CommandError.wrongType();
                case NO_NUMBER -> reply.digits(assignSum(key, delta, counters));
                case SKIPPED, NOT_HERE, TOO_MANY_TOKENS ->
                    throw new IllegalStateException("an increment without conditions");
            }
            client.happened(KeyEvent.INCRBYFLOAT, key);
        } finally {
            counters.unlock(key);
        }
    }

    private static long assignSum(Key key, long delta, Counters counters) {
        byte[] text = Value.read(key, counters).bytes();
        long number = Numbers.whole(text, 0, text.length, INFINITE);
        long sum = number + delta;
        if (((sum ^ number) & (sum ^ delta)) < 0) {
            throw CommandError.overflow();
        }
        counters.assign(key, sum, Counters.KEEP);
        return sum;
    }
}
