package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandSet;
import io.tallis.command.Encoding;
import io.tallis.command.KeyEvent;
import io.tallis.command.KeyWalk;
import io.tallis.command.Reply;
import io.tallis.command.ScanOptions;
import io.tallis.keyspace.Keyspace;
import io.tallis.runtime.Randomness;
import java.util.ArrayList;
import java.util.List;

/// Redis's commands for keys, apart from expiry. A key with both types is one key.
final class KeyCommands {
    private static final int MOST_KEYS = 1_000_000;
    private static final long MOST_KEY_BYTES = 48L << 20;

    /// What each key that `KEYS` has found takes on the heap besides its bytes.
    private static final int KEY_OVERHEAD = 56;

    /// The share of the heap that the keys of one `KEYS` may take: a 32nd, since every event loop may run one.
    private static final int HEAP_SHARE = 32;

    private static final int KEYS_PER_STEP = 4096;

    private static final ScanOptions A_FEW_KEYS = ScanOptions.matching(new byte[] {'*'}, 16);
    private static final int HASH_BITS = Integer.SIZE;

    /// Redis shares the objects of the integers below this, which shows in their reference count.
    private static final long SHARED_BELOW = 10_000;

    private final Randomness randomness;

    KeyCommands(Randomness randomness) {
        this.randomness = randomness;
    }

    void addTo(CommandSet commands) {
        commands.add("del", KeyCommands::delete)
                .add("unlink", KeyCommands::delete)
                .add("exists", KeyCommands::exists)
                .add("touch", KeyCommands::exists)
                .add("type", KeyCommands::type)
                .add("scan", KeyCommands::scan)
                .add("keys", KeyCommands::keys)
                .add("randomkey", this::randomKey)
                .add(
                        "dbsize",
                        (_, client, reply) ->
                                reply.integer(client.counters().keyspace().keys()))
                .add("object|encoding", KeyCommands::encoding)
                .add("object|freq", KeyCommands::frequency)
                .add("object|idletime", KeyCommands::idleTime)
                .add("object|refcount", KeyCommands::referenceCount);
    }

    /// `DEL key...`, `UNLINK key...`: deletes both types of each key. Replies how many keys existed.
    private static void delete(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() == 2) {
            AtomicSection.requireBounded(client, arguments.key(1));
            reply.integer(delete(arguments, 1, client) ? 1 : 0);
            return;
        }
        AtomicSection.delete(client, arguments, 1, () -> {
            int deleted = 0;
            for (int word = 1; word < arguments.count(); word++) {
                deleted += delete(arguments, word, client) ? 1 : 0;
            }
            reply.integer(deleted);
        });
    }

    private static boolean delete(Arguments arguments, int word, Client client) {
        boolean existed = client.counters().delete(arguments.key(word));
        if (existed) {
            client.happened(KeyEvent.DEL, arguments.key(word));
        }
        return existed;
    }

    /// `EXISTS key...`, `TOUCH key...`: how many of the keys exist at one moment. A key that occurs twice counts twice.
    private static void exists(Arguments arguments, Client client, Reply reply) {
        if (arguments.count() == 2) {
            countExisting(arguments, client, reply);
        } else {
            AtomicSection.run(
                    client,
                    AtomicSection.partitionsOf(arguments, 1, 1, client),
                    () -> countExisting(arguments, client, reply));
        }
    }

    private static void countExisting(Arguments arguments, Client client, Reply reply) {
        int found = 0;
        for (int word = 1; word < arguments.count(); word++) {
            found += keyExists(arguments, word, client) ? 1 : 0;
        }
        reply.integer(found);
    }

    private static boolean keyExists(Arguments arguments, int word, Client client) {
        return client.lookedUp(client.counters().exists(arguments.key(word)));
    }

    /// `TYPE key`: `string` for both types, because clients and tools can read that one, `hash` for a key that is only
    /// a hash.
    private static void type(Arguments arguments, Client client, Reply reply) {
        boolean exists = keyExists(arguments, 1, client);
        reply.status(!exists ? "none" : isHash(arguments, 1, client) ? "hash" : "string");
    }

    /// Whether a key that exists is only a hash.
    private static boolean isHash(Arguments arguments, int word, Client client) {
        return client.counters().readAny(arguments.key(word)) == null;
    }

    /// `SCAN cursor [MATCH pattern] [COUNT count] [TYPE type]`
    private static void scan(Arguments arguments, Client client, Reply reply) {
        long cursor = KeyWalk.cursorOf(arguments, 1);
        ScanOptions options = ScanOptions.of(arguments, 2);
        KeyWalk.step(client.counters().keyspace(), cursor, options).answer(reply);
    }

    /// `KEYS pattern`: all keys that match, or an error when they are too many for one reply.
    private static void keys(Arguments arguments, Client client, Reply reply) {
        ScanOptions options = ScanOptions.matching(arguments.bytes(1), KEYS_PER_STEP);
        List<byte[]> keys = new ArrayList<>();
        long mostMemory = Runtime.getRuntime().maxMemory() / HEAP_SHARE;
        long bytes = 0;
        long cursor = 0;
        do {
            KeyWalk walk = KeyWalk.step(client.counters().keyspace(), cursor, options);
            keys.addAll(walk.keys());
            bytes += walk.bytes();
            cursor = walk.cursor();
            long memory = bytes + (long) KEY_OVERHEAD * keys.size();
            if (keys.size() > MOST_KEYS || bytes > MOST_KEY_BYTES || memory > mostMemory) {
                throw new CommandError("ERR too many keys match for one reply of KEYS, use SCAN");
            }
        } while (cursor != 0);
        reply.array(keys.size());
        keys.forEach(reply::bulk);
    }

    /// `RANDOMKEY`: one of the next keys in hash order from a random position, or null when there are no keys.
    private void randomKey(Arguments arguments, Client client, Reply reply) {
        Keyspace keyspace = client.counters().keyspace();
        long position = randomness.nextLong() & ((long) Keyspace.PARTITIONS << HASH_BITS) - 1;
        List<byte[]> keys = keyspace.keys() == 0 ? List.of() : keysFrom(keyspace, position);
        if (keys.isEmpty()) {
            reply.nil();
        } else {
            reply.bulk(keys.get((int) Math.floorMod(randomness.nextLong(), (long) keys.size())));
        }
    }

    /// The first keys from a position, wrapping around once.
    private static List<byte[]> keysFrom(Keyspace keyspace, long position) {
        long cursor = position;
        int ends = 0;
        while (ends < 2) {
            long next = keyspace.skipKeyless(cursor);
            // Keys may have ended and be counted still, so this may come again and again without any key.
            ends += next == 0 && cursor != 0 ? 1 : 0;
            KeyWalk walk = KeyWalk.step(keyspace, next, A_FEW_KEYS);
            if (!walk.keys().isEmpty()) {
                return walk.keys();
            }
            cursor = walk.cursor();
            ends += cursor == 0 ? 1 : 0;
        }
        return List.of();
    }

    /// `OBJECT ENCODING key`: of the PNCOUNT, if the key has both types.
    private static void encoding(Arguments arguments, Client client, Reply reply) {
        if (keyExists(arguments, 2, client)) {
            boolean isHash = isHash(arguments, 2, client);
            reply.bulk(isHash ? Encoding.HASH : Encoding.of(client.counters().cell()));
        } else {
            reply.nil();
        }
    }

    /// `OBJECT FREQ key`: refused as Redis does without an LFU policy.
    private static void frequency(Arguments arguments, Client client, Reply reply) {
        if (keyExists(arguments, 2, client)) {
            throw new CommandError("ERR An LFU maxmemory policy is not selected, access frequency not tracked. "
                    + "Please note that when switching between policies at runtime LRU and LFU data will take some "
                    + "time to adjust.");
        }
        reply.nil();
    }

    /// `OBJECT IDLETIME key`: refused for a key that exists, since 0 would be a lie to those that look for unused keys.
    private static void idleTime(Arguments arguments, Client client, Reply reply) {
        if (keyExists(arguments, 2, client)) {
            throw new CommandError("ERR idle time is not tracked: Tallis does not record when a key was last used");
        }
        reply.nil();
    }

    /// `OBJECT REFCOUNT key`: the number that Redis replies for this value.
    private static void referenceCount(Arguments arguments, Client client, Reply reply) {
        if (!keyExists(arguments, 2, client)) {
            reply.nil();
            return;
        }
        if (isHash(arguments, 2, client)) {
            reply.integer(1);
            return;
        }
        long value = client.counters().value();
        boolean isShared =
                value >= 0 && value < SHARED_BELOW && !client.counters().cell().hasText();
        reply.integer(isShared ? Integer.MAX_VALUE : 1);
    }
}
