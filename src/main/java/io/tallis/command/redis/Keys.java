package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.KeyWalk;
import io.tallis.command.Reply;
import io.tallis.command.ScanOptions;
import java.util.ArrayList;
import java.util.List;

/// `KEYS pattern`: all keys that match. Refused when they are too many for one answer; `SCAN` has no such limit.
final class Keys implements Command {
    private static final int MOST_KEYS = 1_000_000;
    private static final long MOST_BYTES = 48L << 20;

    /// What a key takes here besides its letters.
    private static final int KEY_HEAD = 56;

    /// Of the heap, on each event loop.
    private static final int SHARE = 32;

    private static final int CHUNK = 4096;

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        ScanOptions options = ScanOptions.matching(arguments.bytes(1), CHUNK);
        List<byte[]> keys = new ArrayList<>();
        long mostMemory = Runtime.getRuntime().maxMemory() / SHARE;
        long bytes = 0;
        long cursor = 0;
        do {
            KeyWalk walk = KeyWalk.step(client.counters().keyspace(), cursor, options);
            keys.addAll(walk.keys());
            bytes += walk.bytes();
            cursor = walk.cursor();
            long memory = bytes + (long) KEY_HEAD * keys.size();
            if (keys.size() > MOST_KEYS || bytes > MOST_BYTES || memory > mostMemory) {
                throw new CommandError("ERR more keys match than KEYS answers, use SCAN");
            }
        } while (cursor != 0);
        reply.array(keys.size());
        keys.forEach(reply::bulk);
    }
}
