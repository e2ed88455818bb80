package io.tallis.fuzz;

import io.tallis.fuzz.Vocabulary.Kind;
import io.tallis.testing.Gen;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/// Random EVALs: scripts that call commands on the keys they name, and scripts that compute something from words.
final class ScriptMaker {
    /// Each takes two keys, of strings, hashes or sorted sets, and two arguments.
    private static final List<String> ON_STRINGS = List.of(
            "return redis.call('GET', KEYS[1])",
            "return redis.call('SET', KEYS[1], ARGV[1])",
            "return redis.call('INCRBY', KEYS[1], ARGV[1])",
            "return redis.pcall('INCRBY', KEYS[1], ARGV[1])",
            "local r = redis.pcall('INCR', KEYS[1]) if type(r) == 'table' then return r.err end return r + 1",
            "redis.call('SET', KEYS[1], ARGV[1]) redis.call('INCR', KEYS[2]) return redis.call('GET', KEYS[1])",
            "redis.call('SET', KEYS[1], ARGV[1]) return redis.call('INCR', KEYS[1])",
            "return redis.call('MGET', KEYS[1], KEYS[2], KEYS[1])",
            "return {redis.call('EXISTS', KEYS[1]), redis.call('TYPE', KEYS[1]), redis.call('STRLEN', KEYS[2])}",
            "return redis.call('TYPE', KEYS[1])['ok']",
            "local n = redis.call('INCR', KEYS[1]) if n == 1 then redis.call('EXPIRE', KEYS[1], 5000) end return n",
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end",
            "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'GET')",
            "return redis.call('SET', KEYS[1], ARGV[1], 'NX')",
            "return redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2] .. '000')",
            "return redis.call('APPEND', KEYS[1], ARGV[1])",
            "return redis.call('GETDEL', KEYS[1])",
            "return redis.call('DECRBY', KEYS[1], ARGV[2])",
            "return tostring(redis.call('GET', KEYS[1]))",
            "return redis.call('GETRANGE', KEYS[1], ARGV[1], ARGV[2])",
            "redis.setresp(3) return redis.call('GET', KEYS[1])",
            "redis.setresp(3) return redis.call('MGET', KEYS[1], KEYS[2])",
            "return redis.call('PERSIST', KEYS[1])",
            "return redis.call('EXPIRE', KEYS[1], ARGV[1] .. '000', 'NX')",
            "return redis.call('MSETNX', KEYS[1], ARGV[1], KEYS[2], ARGV[2])",
            "return redis.call('GET')",
            "return redis.pcall('GET', KEYS[1], ARGV[1])",
            "return redis.call('NOSUCH', KEYS[1])",
            "return redis.call('MULTI')",
            "return redis.call('SUBSCRIBE', ARGV[1])",
            "return redis.call()",
            "return redis.call('GET', {})",
            "local n = ARGV[1] + 0 if n ~= n then return n end redis.call('SET', KEYS[1], n) return redis.call('GET', KEYS[1])",
            "redis.call('SET', KEYS[1], 3.7) return redis.call('GET', KEYS[1])");
    private static final List<String> ON_HASHES = List.of(
            "return redis.call('HGET', KEYS[1], ARGV[1])",
            "return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])",
            "return redis.call('HINCRBY', KEYS[1], ARGV[1], 3)",
            "return redis.pcall('HINCRBY', KEYS[1], ARGV[1], ARGV[2])",
            "return redis.call('HDEL', KEYS[1], ARGV[1])",
            "return redis.call('HMGET', KEYS[1], ARGV[1], ARGV[2])",
            "local t = redis.call('HKEYS', KEYS[1]) table.sort(t) return t",
            "local t = redis.call('HVALS', KEYS[1]) table.sort(t) return t",
            "return #redis.call('HGETALL', KEYS[1])",
            "redis.setresp(3) local n = 0 for k, v in pairs(redis.call('HGETALL', KEYS[1]).map) do n = n + 1 end return n",
            "return {redis.call('HLEN', KEYS[1]), redis.call('HLEN', KEYS[2])}",
            "redis.call('HSET', KEYS[1], 'a', ARGV[1]) redis.call('HINCRBY', KEYS[1], 'a', 1) return 'done'",
            "redis.call('DEL', KEYS[1]) redis.call('HSET', KEYS[1], 'x', 1, 'y', 2) return redis.call('HLEN', KEYS[1])",
            "return redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])",
            "return redis.call('HEXISTS', KEYS[1], ARGV[1])",
            "return redis.call('HSTRLEN', KEYS[1], ARGV[1])",
            "return redis.call('EXPIRE', KEYS[1], ARGV[2] .. '000')");
    private static final List<String> ON_SORTED_SETS = List.of(
            "return redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])",
            "return redis.pcall('ZADD', KEYS[1], 'XX', 'CH', ARGV[2], ARGV[1], 7, 'a')",
            "return redis.call('ZADD', KEYS[1], 'GT', 'INCR', ARGV[2], ARGV[1])",
            "return redis.call('ZINCRBY', KEYS[1], ARGV[2], ARGV[1])",
            "return redis.pcall('ZINCRBY', KEYS[1], ARGV[1], ARGV[2])",
            "return redis.call('ZSCORE', KEYS[1], ARGV[1])",
            "redis.setresp(3) return redis.call('ZSCORE', KEYS[1], ARGV[1])",
            "return redis.call('ZMSCORE', KEYS[1], ARGV[1], ARGV[2])",
            "return {redis.call('ZCARD', KEYS[1]), redis.call('ZREVRANK', KEYS[2], ARGV[1])}",
            "return redis.call('ZCOUNT', KEYS[1], ARGV[2], 50)",
            "return redis.call('ZRANGE', KEYS[1], 0, ARGV[2])",
            "redis.setresp(3) return redis.call('ZRANGE', KEYS[1], 0, 3, 'WITHSCORES')",
            "return redis.call('ZRANGE', KEYS[1], ARGV[2], '+inf', 'BYSCORE', 'LIMIT', 0, 3)",
            "return redis.call('ZREVRANGEBYSCORE', KEYS[1], '(' .. ARGV[2], '-inf', 'WITHSCORES')",
            "local t = redis.call('ZPOPMIN', KEYS[1]) if t[1] then redis.call('ZADD', KEYS[2], t[2], t[1]) end return t",
            "return redis.call('ZPOPMAX', KEYS[1], 2)",
            "redis.setresp(3) return redis.call('ZPOPMIN', KEYS[1], 2)",
            "redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(-50') local n = redis.call('ZCARD', KEYS[1]) if n < 5 then redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1]) redis.call('EXPIRE', KEYS[1], 5000) end return n",
            "redis.call('ZADD', KEYS[1], 3, 'b', 3, 'a') redis.call('ZREM', KEYS[1], 'b') return redis.call('ZRANK', KEYS[1], 'a')",
            "return redis.call('ZREMRANGEBYRANK', KEYS[1], 9, -1)");
    private static final List<String> ON_WORDS = List.of(
            "return ARGV[1]",
            "return #ARGV[1]",
            "return ARGV[1] + 0",
            "return tonumber(ARGV[1])",
            "return tostring(tonumber(ARGV[1]))",
            "return ARGV[1] .. ARGV[2]",
            "return ARGV[1] == ARGV[2]",
            "return ARGV[1] < ARGV[2]",
            "return {ARGV[1], ARGV[2], nil, 4}",
            "return {1, {2, {3.9, 'x'}}, true, false}",
            "return ARGV[1] * ARGV[2]",
            "return tostring(ARGV[1] / ARGV[2])",
            "return tostring(ARGV[1] % ARGV[2])",
            "return tostring(ARGV[1] ^ 2)",
            "return math.floor(ARGV[1])",
            "return tostring(-ARGV[1])",
            "return string.format('%d', ARGV[1])",
            "return string.format('%5.2f|%s', ARGV[1], ARGV[2])",
            "return string.format('%q', ARGV[1])",
            "return string.format('%x', ARGV[1])",
            "return string.format('%g', ARGV[1])",
            "return string.format('%.17g', ARGV[1])",
            "return string.format('%-10s|%5s', ARGV[1], ARGV[2])",
            "return string.format(ARGV[1], ARGV[2])",
            "return string.rep(ARGV[1], 3)",
            "return string.upper(ARGV[1])",
            "return string.reverse(ARGV[1])",
            "return {string.byte(ARGV[1], 1, -1)}",
            "return string.sub(ARGV[1], 2, -2)",
            "return string.find(ARGV[1], ARGV[2])",
            "return string.find(ARGV[1], ARGV[2], 1, true)",
            "return {string.match(ARGV[1], '(%d+)(.?)')}",
            "return {string.gsub(ARGV[1], '%w', '%0%0')}",
            "return redis.sha1hex(ARGV[1])",
            "return cjson.encode({ARGV[1], ARGV[2]})",
            "return cjson.encode({a = ARGV[1]})",
            "return cjson.encode(cjson.decode(ARGV[1]))",
            "return cjson.encode(tonumber(ARGV[1]))",
            "return cmsgpack.pack(ARGV[1], tonumber(ARGV[2]))",
            "return {cmsgpack.unpack(cmsgpack.pack({1, 2.5, ARGV[1]}))}",
            "return struct.pack('>I4i2', 1, -2)",
            "return struct.pack('<l', #ARGV[1])",
            "return bit.band(ARGV[1], ARGV[2])",
            "return bit.tohex(ARGV[1])",
            "return bit.lshift(1, ARGV[1])",
            "return redis.status_reply(ARGV[1])",
            "return redis.error_reply(ARGV[1])",
            "return {ok = ARGV[1]}",
            "return {err = ARGV[1]}",
            "error(ARGV[1])",
            "error({err = ARGV[1]})",
            "return error('x', 0)",
            "return nosuch",
            "return nosuch.field",
            "nosuch = 1",
            "return {double = tonumber(ARGV[1])}",
            "redis.setresp(3) return {double = 2.5}",
            "redis.setresp(3) return {map = {a = 1}}",
            "return redis.log(redis.LOG_DEBUG, 'x')",
            "return (",
            "return 1 +",
            "local x <const> = 1",
            "for i = 1, 3 do",
            "return select('#', unpack(ARGV))",
            "local t = {} for i = 1, 10 do t[i] = i * i end return t",
            "return tostring(nil) .. type(ARGV[1])",
            "return table.concat(ARGV, ',')",
            "table.sort(ARGV) return ARGV",
            "return pcall(error, ARGV[1])",
            "return select(2, pcall(error, ARGV[1]))",
            "return {pcall(function() return ARGV[1] + 1 end)}",
            "return ARGV[1]:len()",
            "return KEYS[1]",
            "return #KEYS + #ARGV",
            "return ARGV[3]",
            "",
            "return 3.99",
            "return -3.99",
            "return 1e15",
            "return 2^53",
            "return 2^63",
            "return -2^63",
            "return 0/0",
            "return 1/0",
            "return tostring(2^53)",
            "return tostring(1e15)",
            "return tostring(1e100)",
            "return tostring(0.1)",
            "return tostring(-0)",
            "return redis.setresp(4)",
            "return redis.REDIS_VERSION_NUM > 0",
            "return math.max(ARGV[1], ARGV[2])",
            "return tonumber(ARGV[1], 16)",
            "return tonumber(ARGV[1], 2)",
            "return {tonumber('0x10'), tonumber('1e2'), tonumber(' 5 '), tonumber('')}",
            "local a = {} a.b = {} a.b.c = ARGV[1] return a.b.c",
            "return next({})",
            "return rawequal(ARGV[1], ARGV[1])",
            "return {['a'] = 1}",
            "return {[1] = 'x', [3] = 'z'}",
            "return setmetatable({}, {__index = {5}})[1]");
    private static final int SHA_LETTERS = 40;

    private final Gen gen;
    private final Vocabulary vocabulary;

    ScriptMaker(Gen gen, Vocabulary vocabulary) {
        this.gen = gen;
        this.vocabulary = vocabulary;
    }

    Request eval() {
        return switch (gen.between(0, 12)) {
            case 0, 1, 2, 3 -> eval(gen.pick(ON_STRINGS), keys(Kind.STRING), gen.pick("value", "increment"), "value");
            case 4, 5, 6, 7 -> eval(gen.pick(ON_HASHES), keys(Kind.HASH), "field", "value");
            case 8, 9, 10 -> eval(gen.pick(ON_SORTED_SETS), keys(Kind.SORTED_SET), "member", "score");
            default -> eval(gen.pick(ON_WORDS), List.of(), gen.pick("value", "increment", "field"), "value");
        };
    }

    private List<String> keys(Kind kind) {
        return List.of(vocabulary.key(kind), vocabulary.key(kind));
    }

    private Request eval(String script, List<String> keys, String... arguments) {
        List<String> words = new ArrayList<>();
        if (gen.chance(10)) {
            words.addAll(List.of(gen.chance(80) ? "evalsha" : "evalsha_ro", sha(script)));
        } else {
            words.addAll(List.of(gen.chance(90) ? "eval" : "eval_ro", script));
        }
        words.add(gen.chance(98) ? Integer.toString(keys.size()) : gen.pick("-1", "3", "9", "abc", "", "1.0"));
        words.addAll(keys);
        for (String argument : arguments) {
            words.add(vocabulary.word(argument));
        }
        return Request.of(words);
    }

    /// The digest of a script that may have been run, or of none.
    static String someSha(Gen gen) {
        return gen.chance(80) ? sha(gen.pick(ON_WORDS)) : gen.pick("", "abc", "f".repeat(SHA_LETTERS));
    }

    private static String sha(String script) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(script.getBytes(StandardCharsets.ISO_8859_1));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
