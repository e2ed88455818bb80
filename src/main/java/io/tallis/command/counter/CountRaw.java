package io.tallis.command.counter;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;
import io.tallis.crdt.Cell;
import io.tallis.crdt.Contributions;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import java.math.BigInteger;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;

/// `GCOUNT RAW key [FULL]`, `PNCOUNT RAW key [FULL]`, `HCOUNT RAW key field [FULL]`: the contribution of each node to a
/// counter, as far as it has not been reset, by name of the node and summed over its sessions; before them a value that
/// was assigned.
///
/// The sum of the contributions may exceed the value, which is clamped to the range of its type. Contributions of more
/// than 64 bits are strings of digits. `FULL` replies every shard that is kept, even of a deleted counter: for each
/// replica id the name of its node and the four totals.
public final class CountRaw implements Command {
    private static final int SIGNED_BITS = Long.SIZE - 1;

    /// The totals of a shard by the names in the reply.
    private static final SequencedMap<String, Integer> TOTALS = totals();

    /// Reads the counter that a request names. Returns whether it exists.
    @FunctionalInterface
    private interface Reading {
        boolean read(Arguments arguments, Client client);
    }

    private final Reading reading;
    private final int words;
    private final CounterCommands.ReplicaNames names;

    private CountRaw(Reading reading, int words, CounterCommands.ReplicaNames names) {
        this.reading = reading;
        this.words = words;
        this.names = names;
    }

    static CountRaw of(CounterType type, CounterCommands.ReplicaNames names) {
        return new CountRaw((arguments, client) -> client.counters().read(type, arguments.key(2)), 3, names);
    }

    public static CountRaw ofField(CounterCommands.ReplicaNames names) {
        Reading reading = (arguments, client) -> client.counters()
                .hashes()
                .read(arguments.key(2), arguments.array(), arguments.offset(3), arguments.length(3));
        return new CountRaw(reading, 4, names);
    }

    private static SequencedMap<String, Integer> totals() {
        SequencedMap<String, Integer> totals = new LinkedHashMap<>();
        totals.put("p", Counter.P);
        totals.put("n", Counter.N);
        totals.put("rp", Counter.RP);
        totals.put("rn", Counter.RN);
        return Collections.unmodifiableSequencedMap(totals);
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        boolean full = arguments.count() == words + 1 && arguments.is(words, "FULL");
        if (arguments.count() > words && !full) {
            throw CommandError.syntax();
        }
        boolean found = client.lookedUp(reading.read(arguments, client));
        Cell cell = client.counters().cell();
        Replicas replicas = client.counters().keyspace().replicas();
        if (full) {
            answerShards(cell.counts(), replicas, reply);
        } else {
            answerContributions(found, cell, replicas, reply);
        }
    }

    private void answerContributions(boolean found, Cell cell, Replicas replicas, Reply reply) {
        SequencedMap<String, BigInteger> contributions =
                found ? Contributions.of(cell.counts(), replicas, names::nameOf) : new TreeMap<>();
        reply.map(contributions.size() + (cell.hasRegister() ? 1 : 0));
        if (cell.hasText()) {
            reply.bulk(Contributions.ASSIGNED);
            reply.bulk(cell.parts().array(), cell.textOffset(), cell.textLength());
        } else if (cell.hasRegister()) {
            reply.bulk(Contributions.ASSIGNED);
            reply.integer(cell.number());
        }
        contributions.forEach((name, contribution) -> {
            reply.bulk(name);
            answer(contribution, reply);
        });
    }

    private void answerShards(Counter counter, Replicas replicas, Reply reply) {
        Map<ReplicaId, Integer> shards = new TreeMap<>();
        for (int i = 0; i < counter.shards(); i++) {
            shards.put(replicas.id(counter.replica(i)), i);
        }
        reply.map(shards.size());
        shards.forEach((id, shard) -> {
            reply.bulk(id.toString());
            reply.map(1 + TOTALS.size());
            reply.bulk("node");
            reply.bulk(Contributions.nameOf(id, names::nameOf));
            TOTALS.forEach((name, total) -> {
                reply.bulk(name);
                answer(Contributions.total(counter, shard, total), reply);
            });
        });
    }

    private static void answer(BigInteger contribution, Reply reply) {
        if (contribution.bitLength() <= SIGNED_BITS) {
            reply.integer(contribution.longValue());
        } else {
            reply.bulk(contribution.toString());
        }
    }
}
