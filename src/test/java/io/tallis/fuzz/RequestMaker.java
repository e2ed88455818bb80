package io.tallis.fuzz;

import io.tallis.command.facts.Argument;
import io.tallis.command.facts.CommandFacts;
import io.tallis.command.facts.CommandFlag;
import io.tallis.command.facts.CommandSpec;
import io.tallis.fuzz.Vocabulary.Kind;
import io.tallis.testing.Gen;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/// Random requests for the commands that both servers have, from the syntax of their arguments in `commands.txt`. Some
/// have a word too many or too few, or a wrong one.
final class RequestMaker {
    private static final String[] STRINGS = {
        "set",
        "set",
        "set",
        "set",
        "setnx",
        "setex",
        "psetex",
        "get",
        "get",
        "getset",
        "getdel",
        "getex",
        "getex",
        "incr",
        "incrby",
        "incrby",
        "decr",
        "decrby",
        "append",
        "getrange",
        "setrange",
        "substr",
        "strlen",
        "mset",
        "mget",
        "msetnx"
    };
    private static final String[] HASHES = {
        "hget", "hmget", "hset", "hset", "hmset", "hsetnx", "hincrby", "hincrby", "hdel", "hlen", "hexists", "hstrlen",
        "hgetall", "hkeys", "hvals", "hscan"
    };
    private static final String[] SORTED_SETS = {
        "zadd",
        "zadd",
        "zadd",
        "zincrby",
        "zincrby",
        "zrem",
        "zscore",
        "zmscore",
        "zcard",
        "zcount",
        "zrank",
        "zrevrank",
        "zrange",
        "zrange",
        "zrevrange",
        "zrangebyscore",
        "zrevrangebyscore",
        "zpopmin",
        "zpopmax",
        "zremrangebyrank",
        "zremrangebyscore",
        "zscan"
    };
    private static final String[] KEYS = {
        "del",
        "unlink",
        "exists",
        "touch",
        "type",
        "rename",
        "renamenx",
        "copy",
        "expire",
        "expire",
        "pexpire",
        "expireat",
        "pexpireat",
        "ttl",
        "pttl",
        "expiretime",
        "pexpiretime",
        "persist",
        "object|encoding",
        "object|refcount",
        "object|freq",
        "object|idletime",
        "keys",
        "scan",
        "dbsize"
    };
    private static final String[] OTHERS = {
        "ping",
        "echo",
        "select",
        "client|id",
        "client|getname",
        "client|setname",
        "client|no-evict",
        "publish",
        "spublish",
        "pubsub|channels",
        "pubsub|numsub",
        "pubsub|numpat",
        "pubsub|shardchannels",
        "pubsub|shardnumsub",
        "time",
        "script|exists",
        "auth",
        "hello",
        "client|getredir",
        "client|caching",
        "unwatch"
    };
    private static final String[] PUBSUB = {
        "subscribe",
        "subscribe",
        "psubscribe",
        "ssubscribe",
        "unsubscribe",
        "punsubscribe",
        "sunsubscribe",
        "ping",
        "publish",
        "spublish",
        "hello",
        "get",
        "reset",
        "echo",
        "pubsub|numsub"
    };

    /// Commands of three words, and of a fourth from Redis 7.2 on, which the Redis beside Tallis may not be.
    private static final Set<String> WITH_SCORE = Set.of("zrank", "zrevrank");

    private static final int WORDS_OF_RANK = 3;
    private static final int MOST_REPEATED = 4;
    private static final int OPTIONAL_PERCENT = 30;
    private static final int WRONG_PERCENT = 6;

    private final Gen gen;
    private final Vocabulary vocabulary;
    private final CommandFacts facts = CommandFacts.load();

    RequestMaker(Gen gen, Vocabulary vocabulary) {
        this.gen = gen;
        this.vocabulary = vocabulary;
    }

    /// A request, and whether its words are wrong, so that it may use any word as a key.
    record Made(Request request, boolean spoiled) {}

    /// A command on keys.
    Made data() {
        return switch (gen.between(0, 12)) {
            case 0, 1, 2, 3 -> request(gen.pick(STRINGS));
            case 4, 5, 6 -> request(gen.pick(HASHES));
            case 7, 8, 9 -> request(gen.pick(SORTED_SETS));
            default -> request(gen.pick(KEYS));
        };
    }

    /// A command that depends on the connection rather than on keys.
    Request other() {
        return request(gen.pick(OTHERS)).request;
    }

    /// A command for a client that subscribes.
    Request pubsub() {
        return request(gen.pick(PUBSUB)).request;
    }

    private Made request(String fullName) {
        CommandSpec spec = Objects.requireNonNull(facts.find(fullName), fullName);
        List<String> words = new ArrayList<>();
        for (String part : fullName.split("\\|", -1)) {
            words.add(inAnyCase(part));
        }
        Kind kind = switch (spec.docs().group()) {
            case "string" -> Kind.STRING;
            case "hash" -> Kind.HASH;
            case "sorted-set" -> Kind.SORTED_SET;
            default -> gen.pick(Kind.values());
        };
        inAnyOrder(spec.docs().arguments()).forEach(argument -> add(argument, kind, words));
        boolean spoiled = gen.chance(WRONG_PERCENT);
        if (spoiled) {
            spoil(words);
        }
        if (WITH_SCORE.contains(fullName) && words.size() > WORDS_OF_RANK) {
            words.subList(WORDS_OF_RANK, words.size()).clear();
        }
        if (spec.docs().group().equals("pubsub")) {
            // No pattern of Redis matches the empty channel, not even *.
            words.replaceAll(word -> word.isEmpty() ? "c1" : word);
        }
        return new Made(Request.of(words), spoiled);
    }

    /// The group of a command that may change keys; empty for another.
    String groupOfWrites(Request request) {
        CommandSpec spec = facts.find(request.name());
        return spec != null && spec.is(CommandFlag.WRITE) ? spec.docs().group() : "";
    }

    private String inAnyCase(String word) {
        return gen.chance(10) ? word.toUpperCase(Locale.ROOT) : gen.chance(2) ? capital(word) : word;
    }

    private static String capital(String word) {
        return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }

    /// Options that follow each other may be exchanged.
    private List<Argument> inAnyOrder(List<Argument> arguments) {
        List<Argument> some = new ArrayList<>(arguments);
        for (int i = 1; i < some.size(); i++) {
            if (some.get(i - 1).optional() && some.get(i).optional() && gen.chance(50)) {
                Collections.swap(some, i - 1, i);
            }
        }
        return some;
    }

    private void add(Argument argument, Kind kind, List<String> words) {
        if (argument.optional() && !gen.chance(OPTIONAL_PERCENT)) {
            return;
        }
        int times = argument.multiple() ? gen.between(1, MOST_REPEATED) : 1;
        for (int i = 0; i < times; i++) {
            addOnce(argument, kind, words);
        }
    }

    private void addOnce(Argument argument, Kind kind, List<String> words) {
        if (!argument.token().isEmpty()) {
            words.add(gen.chance(70) ? argument.token() : argument.token().toLowerCase(Locale.ROOT));
        }
        switch (argument.type()) {
            case PURE_TOKEN -> {}
            case ONEOF -> add(required(gen.pick(argument.parts())), kind, words);
            case BLOCK -> argument.parts().forEach(part -> add(part, kind, words));
            case KEY -> words.add(vocabulary.key(gen.chance(8) ? other(kind) : kind));
            case INTEGER, STRING, PATTERN -> words.add(word(argument.name(), kind));
        }
    }

    private static Argument required(Argument argument) {
        return new Argument(
                argument.name(), argument.type(), argument.token(), false, argument.multiple(), argument.parts());
    }

    private String word(String argument, Kind kind) {
        return vocabulary.word(kind == Kind.SORTED_SET && argument.equals("increment") ? "score" : argument);
    }

    /// A kind that both servers refuse where one of this kind is expected.
    private Kind other(Kind kind) {
        return kind == Kind.STRING ? gen.pick(Kind.HASH, Kind.SORTED_SET) : Kind.STRING;
    }

    private void spoil(List<String> words) {
        int at = gen.between(1, words.size());
        switch (gen.between(0, 3)) {
            case 0 -> words.add(at, vocabulary.misplaced());
            case 1 -> words.add(vocabulary.misplaced());
            case 2 -> {
                if (at < words.size()) {
                    words.set(at, vocabulary.misplaced());
                }
            }
            default -> words.subList(at, words.size()).clear();
        }
    }
}
