package io.tallis.command.hash;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.AtomicSection.FieldWords;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandSet;
import io.tallis.command.KeyEvent;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.command.counter.CountRaw;
import io.tallis.command.counter.CounterCommands.ReplicaNames;
import io.tallis.crdt.Cell;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Hashes;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/// The commands that add to fields, and `HCOUNT`, with the full range of what a field that counts can do.
final class FieldCounts {
    private static final String NO_NUMBER = "ERR hash value is not an integer";

    private final Fields fields;
    private final ReplicaNames names;

    FieldCounts(Fields fields, ReplicaNames names) {
        this.fields = fields;
        this.names = names;
    }

    void addTo(CommandSet commands) {
        commands.add("hincrby", this::add)
                .add("hincrbyfloat", this::addDecimal)
                .add("hcount|minc", this::addSeveral)
                .add("hcount|raw", CountRaw.ofField(names));
    }

    /// `HINCRBY key field increment`
    private void add(Arguments arguments, Client client, Reply reply) {
        add(arguments, 2, Numbers.signed(arguments, 3), client, NO_NUMBER);
        reply.integer(client.counters().value());
        client.happened(KeyEvent.HINCRBY, arguments.key(1));
    }

    /// Adds to the field in a word, or refuses that.
    void add(Arguments arguments, int word, long delta, Client client, String noNumber) {
        fields.requireName(arguments, 1, word);
        Counters.Increment increment = client.counters()
                .hashes()
                .increment(arguments.key(1), arguments.array(), arguments.offset(word), arguments.length(word), delta);
        switch (increment) {
            case DONE -> {}
            case OUT_OF_RANGE -> throw CommandError.overflow();
            case WRONG_TYPE -> throw CommandError.wrongType();
            case NO_NUMBER -> throw new CommandError(noNumber);
            case SKIPPED, NOT_HERE, TOO_MANY_TOKENS ->
                throw new IllegalStateException("an increment without conditions and token");
        }
    }

    /// `HINCRBYFLOAT key field increment`: counts are whole, so a fraction is refused.
    private void addDecimal(Arguments arguments, Client client, Reply reply) {
        long delta = Numbers.whole(
                arguments.array(), arguments.offset(3), arguments.length(3), "ERR value is NaN or Infinity");
        add(arguments, 2, delta, client, "ERR hash value is not a whole number, and only those are counted");
        reply.digits(client.counters().value());
        client.happened(KeyEvent.HINCRBYFLOAT, arguments.key(1));
    }

    /// `HCOUNT MINC key field amount [field amount ...]`: adds to all of the fields or to none.
    ///
    /// A field that occurs twice is changed twice, in order. The changes are tried on copies before the first is made.
    private void addSeveral(Arguments arguments, Client client, Reply reply) {
        HashCommands.requirePairs(arguments, 3, "hcount|minc");
        for (int word = 3; word < arguments.count(); word += 2) {
            fields.requireName(arguments, 2, word);
            long _ = Numbers.signed(arguments, word + 1);
        }
        AtomicSection.fields(client, FieldWords.withValues(arguments, 2), () -> {
            Hashes hashes = client.counters().hashes();
            if (hashes.isString(arguments.key(2))) {
                throw CommandError.wrongType();
            }
            requireInRange(arguments, client.counters());
            client.happened(KeyEvent.HINCRBY, arguments.key(2));
            for (int word = 3; word < arguments.count(); word += 2) {
                Counters.Increment _ = hashes.increment(
                        arguments.key(2),
                        arguments.array(),
                        arguments.offset(word),
                        arguments.length(word),
                        Numbers.signed(arguments, word + 1));
            }
        });
        reply.ok();
    }

    /// Applies the changes to the buffer that counters are read into, which is never stored.
    private static void requireInRange(Arguments arguments, Counters counters) {
        int previous = -1;
        for (int word : byField(arguments)) {
            if (previous < 0 || compare(arguments, previous, word) != 0) {
                boolean _ = counters.hashes()
                        .read(arguments.key(2), arguments.array(), arguments.offset(word), arguments.length(word));
            }
            Cell cell = counters.cell();
            if (cell.hasText()) {
                throw new CommandError(NO_NUMBER);
            }
            if (!cell.add(Replicas.OWN, Numbers.signed(arguments, word + 1))) {
                throw CommandError.overflow();
            }
            previous = word;
        }
    }

    /// The words that are fields, with equal ones next to each other in the order of the request.
    private static List<Integer> byField(Arguments arguments) {
        return IntStream.iterate(3, word -> word < arguments.count(), word -> word + 2)
                .boxed()
                .sorted((left, right) -> compare(arguments, left, right))
                .toList();
    }

    private static int compare(Arguments arguments, int left, int right) {
        byte[] bytes = arguments.array();
        int leftAt = arguments.offset(left);
        int rightAt = arguments.offset(right);
        return Arrays.compare(
                bytes, leftAt, leftAt + arguments.length(left), bytes, rightAt, rightAt + arguments.length(right));
    }
}
