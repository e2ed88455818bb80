package io.tallis.command.redis;

import io.tallis.command.CommandFamily;
import io.tallis.command.CommandSet;
import io.tallis.runtime.Randomness;
import java.util.List;

/// Redis's own commands for keys and values.
public final class RedisCommands implements CommandFamily {
    private final Randomness randomness;

    public RedisCommands(Randomness randomness) {
        this.randomness = randomness;
    }

    @Override
    public void addTo(CommandSet commands) {
        commands.add("incr", new Incr(1));
        commands.add("decr", new Incr(-1));
        commands.add("incrby", new IncrBy());
        commands.add("decrby", new DecrBy());
        addValues(commands);
        addKeys(commands);
        addExpiry(commands);
    }

    private static void addValues(CommandSet commands) {
        commands.add("get", new Get());
        commands.add("mget", new MGet());
        commands.add("set", new SetValue());
        commands.add("setnx", new SetNx());
        commands.add("mset", new MSet());
        commands.add("msetnx", new MSetNx());
        commands.add("getset", new GetSet());
        commands.add("getdel", new GetDel());
        commands.add("getex", new GetEx());
        commands.add("strlen", new StrLen());
    }

    private void addKeys(CommandSet commands) {
        commands.add("del", new Del());
        commands.add("unlink", new Del());
        commands.add("exists", new Exists());
        commands.add("touch", new Exists());
        commands.add("type", new Type());
        commands.add("scan", new Scan());
        commands.add("keys", new Keys());
        commands.add("randomkey", new RandomKey(randomness));
        commands.add("dbsize", new DbSize());
        commands.add("object|encoding", new ObjectEncoding());
        commands.add("object|freq", new ObjectFreq());
        commands.add("object|idletime", new ObjectNumber(0));
        commands.add("object|refcount", new ObjectRefCount());
    }

    private static void addExpiry(CommandSet commands) {
        for (String name : List.of("expire", "pexpire", "expireat", "pexpireat")) {
            commands.add(name, new Expire());
        }
        commands.add("setex", new SetEx("setex"));
        commands.add("psetex", new SetEx("psetex"));
        commands.add("ttl", new Ttl());
        commands.add("pttl", new Ttl());
        commands.add("expiretime", new Ttl());
        commands.add("pexpiretime", new Ttl());
        commands.add("persist", new Persist());
    }
}
