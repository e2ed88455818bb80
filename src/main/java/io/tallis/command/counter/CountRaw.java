package io.tallis.command.counter;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.ReplicaNames;
import io.tallis.command.Reply;
import io.tallis.crdt.Counter;
import io.tallis.crdt.CounterType;
import io.tallis.crdt.Replicas;
import java.math.BigInteger;
import java.util.Map;
import java.util.TreeMap;

/// `GCOUNT RAW key`, `PNCOUNT RAW key`: what each node contributed to the counter and is not reset, by name of the
/// node.
///
/// The sum may differ from the value, which ends where the range of its type ends. Contributions beyond 64 bits are
/// answered as strings of digits.
final class CountRaw implements Command {
    private static final BigInteger HIGH = BigInteger.ONE.shiftLeft(Long.SIZE);
    private static final int SIGNED_BITS = Long.SIZE - 1;

    private final CounterType type;
    private final ReplicaNames names;

    CountRaw(CounterType type, ReplicaNames names) {
        this.type = type;
        this.names = names;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Map<String, BigInteger> contributions = new TreeMap<>();
        if (client.lookedUp(client.counters().read(type, arguments.key(2)))) {
            Replicas replicas = client.counters().keyspace().replicas();
            gather(client.counters().counter(), replicas, contributions);
        }
        reply.map(contributions.size());
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

    private static void answer(BigInteger contribution, Reply reply) {
        if (contribution.bitLength() <= SIGNED_BITS) {
            reply.integer(contribution.longValue());
        } else {
            reply.bulk(contribution.toString());
        }
    }
}
