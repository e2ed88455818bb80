package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.KeyWalk;
import io.tallis.command.Reply;
import io.tallis.command.ScanOptions;
import io.tallis.keyspace.Keyspace;
import io.tallis.runtime.Randomness;
import java.util.List;

/// `RANDOMKEY`: a key near a random place of the hash order, or nothing when there are no keys.
final class RandomKey implements Command {
    private static final ScanOptions FEW = ScanOptions.matching(new byte[] {'*'}, 16);
    private static final int HASH_BITS = Integer.SIZE;

    private final Randomness randomness;

    RandomKey(Randomness randomness) {
        this.randomness = randomness;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        Keyspace keyspace = client.counters().keyspace();
        List<byte[]> keys = keyspace.keys() == 0 ? List.of() : someFrom(keyspace, randomPlace());
        if (keys.isEmpty()) {
            reply.nil();
        } else {
            reply.bulk(keys.get((int) Math.floorMod(randomness.nextLong(), (long) keys.size())));
        }
    }

    private long randomPlace() {
        return randomness.nextLong() & ((long) Keyspace.PARTITIONS << HASH_BITS) - 1;
    }

    /// The next few keys from a place, going around the end once.
    private static List<byte[]> someFrom(Keyspace keyspace, long place) {
        long cursor = place;
        int ends = 0;
        while (ends < 2) {
            KeyWalk walk = KeyWalk.step(keyspace, keyspace.skipKeyless(cursor), FEW);
            if (!walk.keys().isEmpty()) {
                return walk.keys();
            }
            cursor = walk.cursor();
            ends += cursor == 0 ? 1 : 0;
        }
        return List.of();
    }
}
