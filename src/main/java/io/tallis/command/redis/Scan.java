package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.KeyWalk;
import io.tallis.command.Reply;
import io.tallis.command.ScanOptions;

/// `SCAN cursor [MATCH pattern] [COUNT count] [TYPE type]`: walks the keys.
final class Scan implements Command {
    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        long cursor = KeyWalk.cursorOf(arguments, 1);
        ScanOptions options = ScanOptions.of(arguments, 2);
        KeyWalk.step(client.counters().keyspace(), cursor, options).answer(reply);
    }
}
