package io.tallis.command.counter;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;
import io.tallis.crdt.Cell;
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
    private static final BigInteger HIGH = BigInteger.ONE.shiftLeft(Long.SIZE);
    private static final int SIGNED_BITS = Long.SIZE - 1;

    /// What stands for the name of a node before a value that was assigned.
    private static final String ASSIGNED = "(assigned)";

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
        Map<String, BigInteger> contributions = new TreeMap<>();
        if (found) {
            gather(cell.counts(), replicas, contributions);
        }
        reply.map(contributions.size() + (cell.hasRegister() ? 1 : 0));
        if (cell.hasText()) {
            reply.bulk(ASSIGNED);
            reply.bulk(cell.parts().array(), cell.textOffset(), cell.textLength());
        } else if (cell.hasRegister()) {
            reply.bulk(ASSIGNED);
            reply.integer(cell.number());
        }
        contributions.forEach((name, contribution) -> {
            reply.bulk(name);
            answer(contribution, reply);
        });
    }

    private void gather(Counter counter, Replicas replicas, Map<String, BigInteger> contributions) {
        for (int i = 0; i < counter.shards(); i++) {
            BigInteger up = left(counter, i, Counter.P, Counter.RP);
            BigInteger down = left(counter, i, Counter.N, Counter.RN);
            if (up.signum() != 0 || down.signum() != 0) {
                String name = names.nameOf(replicas.id(counter.replica(i)));
                contributions.merge(name, up.subtract(down), BigInteger::add);
            }
        }
    }

    private static BigInteger left(Counter counter, int shard, int total, int reset) {
        return total(counter, shard, total).subtract(total(counter, shard, reset));
    }

    private static BigInteger total(Counter counter, int shard, int total) {
        return unsigned(counter.high(shard, total)).multiply(HIGH).add(unsigned(counter.low(shard, total)));
    }

    private static BigInteger unsigned(long bits) {
        BigInteger signed = BigInteger.valueOf(bits);
        return bits < 0 ? signed.add(HIGH) : signed;
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
            reply.bulk(names.nameOf(id));
            TOTALS.forEach((name, total) -> {
                reply.bulk(name);
                answer(total(counter, shard, total), reply);
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
