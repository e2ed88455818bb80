package io.tallis.command.counter;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Counters;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/// `PNCOUNT MINC key amount [key amount ...]` and `MDEC`: changes several counters that go up and down, or none.
///
/// A key that is named twice is changed twice, in order. Under the locks of all keys, all changes are tried on a
/// copy before the first is made.
final class PNCountMAdd implements Command {
    private final boolean subtracts;

    PNCountMAdd(boolean subtracts) {
        this.subtracts = subtracts;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Amounts.requirePairs(arguments, subtracts ? "pncount|mdec" : "pncount|minc");
        for (int word = 2; word < arguments.count(); word += 2) {
            delta(arguments, word);
        }
        AtomicSection.add(client, arguments, 2, 2, CounterType.PNCOUNT, () -> {
            tryAll(arguments, client.counters());
            for (int word = 2; word < arguments.count(); word += 2) {
                client.counters().add(arguments.key(word), delta(arguments, word));
            }
        });
        reply.ok();
    }

    private long delta(Arguments arguments, int keyWord) {
        return subtracts ? Amounts.ofDecrement(arguments, keyWord + 1) : Amounts.ofIncrement(arguments, keyWord + 1);
    }

    /// Changes the counters where they are read to, which is never stored.
    private void tryAll(Arguments arguments, Counters counters) {
        int previous = -1;
        for (int word : byKey(arguments)) {
            if (previous < 0 || compareKeys(arguments, previous, word) != 0) {
                counters.read(CounterType.PNCOUNT, arguments.key(word));
            }
            if (!counters.counter().add(Replicas.OWN, delta(arguments, word))) {
                throw CommandError.overflow();
            }
            previous = word;
        }
    }

    /// The words that are keys, equal ones beside each other in the order of the request.
    private static List<Integer> byKey(Arguments arguments) {
        return IntStream.iterate(2, word -> word < arguments.count(), word -> word + 2)
                .boxed()
                .sorted((left, right) -> compareKeys(arguments, left, right))
                .toList();
    }

    private static int compareKeys(Arguments arguments, int left, int right) {
        byte[] bytes = arguments.array();
        int leftAt = arguments.offset(left);
        int rightAt = arguments.offset(right);
        return Arrays.compare(
                bytes, leftAt, leftAt + arguments.length(left), bytes, rightAt, rightAt + arguments.length(right));
    }
}
