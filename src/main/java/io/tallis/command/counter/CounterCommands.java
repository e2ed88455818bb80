package io.tallis.command.counter;

import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.command.ReplicaNames;
import io.tallis.crdt.CounterType;
import java.util.Locale;

/// The commands for our own types.
public final class CounterCommands implements CommandFamily {
    private final ReplicaNames names;

    public CounterCommands(ReplicaNames names) {
        this.names = names;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("gcount|inc", new GCountInc());
        commands.add("gcount|minc", new GCountMInc());
        commands.add("pncount|inc", new PNCountInc());
        commands.add("pncount|dec", new PNCountDec());
        commands.add("pncount|set", new PNCountSet());
        commands.add("pncount|minc", new PNCountMAdd(false));
        commands.add("pncount|mdec", new PNCountMAdd(true));
        for (CounterType type : CounterType.values()) {
            String prefix = type.name().toLowerCase(Locale.ROOT) + "|";
            commands.add(prefix + "get", new CountGet(type));
            commands.add(prefix + "mget", new CountMGet(type));
            commands.add(prefix + "raw", new CountRaw(type, names));
            commands.add(prefix + "del", new CountDel(type));
            commands.add(prefix + "scan", new CountScan(type));
        }
    }
}
