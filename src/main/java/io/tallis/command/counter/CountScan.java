package io.tallis.command.counter;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.KeyWalk;
import io.tallis.command.Reply;
import io.tallis.command.ScanOptions;
import io.tallis.crdt.CounterType;

/// `GCOUNT SCAN cursor ...`, `PNCOUNT SCAN cursor ...`: walks the keys that hold a counter of one type.
final class CountScan implements Command {
    private final CounterType type;

    CountScan(CounterType type) {
        this.type = type;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        long cursor = KeyWalk.cursorOf(arguments, 2);
        ScanOptions options = ScanOptions.of(arguments, 3, type);
        KeyWalk.step(client.counters().keyspace(), cursor, options).answer(reply);
    }
}
