package io.tallis.command.counter;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandSet;
import io.tallis.command.KeyEvent;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.command.TokenOption;
import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Life;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/// The commands that change a `PNCOUNT`, whose value is a signed number of 64 bits.
///
/// They reply `OK` for the reason that [GCountCommands] gives. A negative amount is allowed and reverses the direction;
/// 0 changes nothing.
final class PNCountCommands {
    private static final String NOT_A_TOTAL =
            "ERR total is not an integer from 0 to 9223372036854775807: the totals of a source only grow";

    private PNCountCommands() {}

    static void addTo(CommandSet commands) {
        commands.add("pncount|inc", (arguments, client, reply) -> add(arguments, amount(arguments, 3), client, reply))
                .add(
                        "pncount|dec",
                        (arguments, client, reply) -> add(arguments, decrement(arguments, 3), client, reply))
                .add("pncount|set", PNCountCommands::set)
                .add("pncount|merge", PNCountCommands::merge)
                .add("pncount|minc", (arguments, client, reply) -> addSeveral(arguments, false, client, reply))
                .add("pncount|mdec", (arguments, client, reply) -> addSeveral(arguments, true, client, reply));
    }

    /// `PNCOUNT INC key amount [IDMP producer-id idempotent-id]`, `PNCOUNT DEC ...`
    private static void add(Arguments arguments, long delta, Client client, Reply reply) {
        if (arguments.count() > 4) {
            addOnce(arguments, delta, client);
        } else if (client.counters().add(arguments.key(2), delta)) {
            tell(arguments, 2, delta, client);
        } else {
            throw refusal(client.counters());
        }
        reply.ok();
    }

    private static void tell(Arguments arguments, int keyWord, long delta, Client client) {
        if (delta != 0) {
            client.happened(KeyEvent.INCRBY, arguments.key(keyWord));
        }
    }

    /// `PNCOUNT MERGE key source added [subtracted]`: replies the largest totals of the source that are known.
    private static void merge(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() > 6) {
            throw CommandError.syntax();
        }
        long added = total(arguments, 4);
        long subtracted = arguments.count() == 6 ? total(arguments, 5) : 0;
        if (!Sources.take(CounterType.PNCOUNT, arguments, added, subtracted, client)) {
            throw refusal(client.counters());
        }
        reply.array(2);
        reply.integer(client.counters().sourceAdded());
        reply.integer(client.counters().sourceSubtracted());
    }

    private static long total(Arguments arguments, int word) {
        long total = Numbers.signed(arguments, word, NOT_A_TOTAL);
        if (total < 0) {
            throw new CommandError(NOT_A_TOTAL);
        }
        return total;
    }

    private static void addOnce(Arguments arguments, long delta, Client client) {
        if (!TokenOption.isAt(arguments, 4) || arguments.count() != 4 + TokenOption.WORDS) {
            throw CommandError.syntax();
        }
        Key key = arguments.key(2);
        byte[] token = TokenOption.read(arguments, 4, key);
        switch (client.counters().add(key, delta, token)) {
            case DONE -> tell(arguments, 2, client.counters().isNew() ? delta : 0, client);
            case NOT_HERE -> throw TokenOption.notHere();
            case TOO_MANY_TOKENS -> throw TokenOption.tooMany();
            case SKIPPED, OUT_OF_RANGE, WRONG_TYPE, NO_NUMBER -> throw refusal(client.counters());
        }
    }

    /// Why the counter that was read last cannot be added to.
    private static CommandError refusal(Counters counters) {
        return counters.cell().hasText() ? CommandError.noNumber() : CommandError.overflow();
    }

    private static long amount(Arguments arguments, int word) {
        return Numbers.signed(arguments, word);
    }

    private static long decrement(Arguments arguments, int word) {
        return Numbers.negated(arguments, word);
    }

    /// `PNCOUNT SET key value`: resets what this node has seen of the counter, assigns the value and takes the deadline
    /// away, in one change.
    ///
    /// Of two nodes that set at the same time the later one wins.
    private static void set(Arguments arguments, Client client, Reply reply) {
        client.counters().assign(arguments.key(2), Numbers.signed(arguments, 3), Life.NEVER);
        client.happened(KeyEvent.SET, arguments.key(2));
        reply.ok();
    }

    /// `PNCOUNT MINC key amount [key amount ...]` and `PNCOUNT MDEC`: changes all of the counters or none.
    ///
    /// A key that occurs twice is changed twice, in order. With all partitions locked, the changes are tried on copies
    /// before the first is made.
    private static void addSeveral(Arguments arguments, boolean subtracts, Client client, Reply reply) {
        GCountCommands.requirePairs(arguments, subtracts ? "pncount|mdec" : "pncount|minc");
        for (int word = 2; word < arguments.count(); word += 2) {
            delta(arguments, word, subtracts);
        }
        AtomicSection.add(client, arguments, 2, 2, CounterType.PNCOUNT, () -> {
            requireInRange(arguments, subtracts, client.counters());
            for (int word = 2; word < arguments.count(); word += 2) {
                long delta = delta(arguments, word, subtracts);
                client.counters().add(arguments.key(word), delta);
                tell(arguments, word, delta, client);
            }
        });
        reply.ok();
    }

    private static long delta(Arguments arguments, int keyWord, boolean subtracts) {
        return subtracts ? decrement(arguments, keyWord + 1) : amount(arguments, keyWord + 1);
    }

    /// Applies the changes to the buffer that counters are read into, which is never stored.
    private static void requireInRange(Arguments arguments, boolean subtracts, Counters counters) {
        int previous = -1;
        for (int word : byKey(arguments)) {
            if (previous < 0 || compareKeys(arguments, previous, word) != 0) {
                counters.read(CounterType.PNCOUNT, arguments.key(word));
            }
            Cell cell = counters.cell();
            if (cell.hasText() || !cell.add(Replicas.OWN, delta(arguments, word, subtracts))) {
                throw refusal(counters);
            }
            previous = word;
        }
    }

    /// The words that are keys, with equal keys next to each other in the order of the request.
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
