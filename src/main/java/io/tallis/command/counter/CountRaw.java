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

/// `GCOUNT RAW key [FULL]`, `PNCOUNT RAW key [FULL]`: the contribution of each node to a counter, as far as it has not
/// been reset, by name of the node and summed over its sessions; before them a value that was assigned.
///
/// The sum of the contributions may exceed the value, which is clamped to the range of its type. Contributions of more
/// than 64 bits are strings of digits. `FULL` replies every shard that is kept, even of a deleted counter: for each
/// replica id the name of its node and the four totals.
final class CountRaw implements Command {
    private static final int SIGNED_BITS = Long.SIZE - 1;

    /// The totals of a shard by the names in the reply.
    private static final SequencedMap<String, Integer> TOTALS = totals();

    private final CounterType type;
    private final CounterCommands.ReplicaNames names;

    CountRaw(CounterType type, CounterCommands.ReplicaNames names) {
        this.type = type;
        this.names = names;
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
        boolean full = arguments.count() == 4 && arguments.is(3, "FULL");
        if (arguments.count() > 3 && !full) {
            throw CommandError.syntax();
        }
        boolean found = client.lookedUp(client.counters().read(type, arguments.key(2)));
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
