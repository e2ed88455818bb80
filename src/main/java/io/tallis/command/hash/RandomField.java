package io.tallis.command.hash;

import io.tallis.command.Arguments;
import io.tallis.command.ByteString;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.keyspace.Hashes;
import io.tallis.keyspace.Key;
import io.tallis.runtime.Randomness;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BiConsumer;

/// `HRANDFIELD key [count [WITHVALUES]]`, `ZRANDMEMBER key [count [WITHSCORES]]`: a random field, or several; with a
/// negative count some of them repeatedly.
final class RandomField implements Command {
    private static final long MOST_FIELDS = 1_000_000;
    private static final long MOST_PAIRS = Long.MAX_VALUE / 2;

    /// With fewer fields for each that is asked for, all are looked at.
    private static final int FEW = 3;

    private static final String OUT_OF_RANGE = "ERR value is out of range";

    private final Randomness randomness;
    private final String withValues;
    private final BiConsumer<FieldList, Reply> pairs;

    /// With the option `withValues` it replies values too, which `pairs` does in version 3 of the protocol.
    RandomField(Randomness randomness, String withValues, BiConsumer<FieldList, Reply> pairs) {
        this.randomness = randomness;
        this.withValues = withValues;
        this.pairs = pairs;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        boolean one = arguments.count() == 2;
        long count = one ? -1 : Numbers.signed(arguments, 2);
        boolean values = arguments.count() == 4 && arguments.is(3, withValues);
        if (arguments.count() > 3 && !values) {
            throw CommandError.syntax();
        }
        if (count < -MOST_FIELDS || (values && count > MOST_PAIRS)) {
            throw new CommandError(OUT_OF_RANGE);
        }
        Key key = arguments.key(1);
        Hashes hashes = client.counters().hashes();
        long length = hashes.length(key);
        if (length == 0) {
            Fields.requireNoString(arguments, client);
        }
        client.lookedUp(length > 0);
        FieldList found = length == 0 || count == 0
                ? new FieldList()
                : count < 0
                        ? repeated(hashes, key, length, -count, values)
                        : distinct(arguments, client, length, values);
        if (one) {
            answerOne(found, reply);
        } else {
            answer(found, values, reply);
        }
    }

    private static void answerOne(FieldList found, Reply reply) {
        if (found.count() == 0) {
            reply.nil();
        } else {
            found.answer(reply);
        }
    }

    private void answer(FieldList found, boolean values, Reply reply) {
        if (values && reply.protocol() > 2) {
            reply.array(found.count() / 2);
            pairs.accept(found, reply);
        } else {
            reply.array(found.count());
            found.answer(reply);
        }
    }

    private FieldList repeated(Hashes hashes, Key key, long length, long count, boolean values) {
        FieldList found = new FieldList();
        for (long i = 0; i < count; i++) {
            found.requireBounded();
            boolean _ = hashes.showOne(
                    key,
                    below(length),
                    (array, offset, size, cell) -> found.add(array, offset, size, cell, true, values));
        }
        return found;
    }

    private FieldList distinct(Arguments arguments, Client client, long length, boolean values) {
        long count = Numbers.signed(arguments, 2);
        Hashes hashes = client.counters().hashes();
        Key key = arguments.key(1);
        FieldList found = new FieldList();
        if (count < length / FEW) {
            Set<ByteString> names = new HashSet<>();
            while (names.size() < count) {
                boolean any = hashes.showOne(key, below(length), (array, offset, size, cell) -> {
                    if (names.add(new ByteString(Arrays.copyOfRange(array, offset, offset + size)))) {
                        found.add(array, offset, size, cell, true, values);
                    }
                });
                if (!any || hashes.length(key) < count) {
                    return found;
                }
            }
            return found;
        }
        // Each field in turn is chosen with the chance that leaves as many as are needed.
        long[] left = {length, Math.min(count, length)};
        hashes.each(key, (array, offset, size, cell) -> {
            found.requireBounded();
            if (left[1] > 0 && below(Math.max(1, left[0])) < left[1]) {
                found.add(array, offset, size, cell, true, values);
                left[1]--;
            }
            left[0]--;
        });
        return found;
    }

    private long below(long bound) {
        return Math.floorMod(randomness.nextLong(), bound);
    }
}
