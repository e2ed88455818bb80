package io.tallis.fuzz;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// What Tallis does otherwise than Redis on purpose. Each is documented on the page that it names, below
/// `src/site/markdown`. A difference of replies that none of these allows is a fault, of Tallis or of this list.
enum Difference {
    EMPTY_KEY("a key has at least one byte", "commands.md") {
        @Override
        boolean allows(Request request, RespReply tallis, RespReply redis) {
            return request.words().contains("")
                    && tallis.isError()
                    && tallis.text().contains("the key has 0 bytes");
        }
    },

    WHOLE_AMOUNTS("only whole amounts of 64 bits are counted", "commands.md#what-is-missing") {
        @Override
        boolean allows(Request request, RespReply tallis, RespReply redis) {
            return Set.of("incrbyfloat", "hincrbyfloat").contains(request.name()) && tallis.isError();
        }
    },

    WHOLE_SCORES("increments of scores are whole numbers of 64 bits, and 0 has no sign", "leaderboards.md") {
        @Override
        boolean allows(Request request, RespReply tallis, RespReply redis) {
            boolean isRefused = tallis.isError()
                    && Stream.of("fractions are not supported", "at most 64 bits", "overflow", "not a valid float")
                            .anyMatch(tallis.text()::contains);
            boolean isExact = tallis.type() == redis.type()
                    && (redis.text().equals("-0") || tallis.text().length() >= LONG_SCORE);
            return Set.of("zadd", "zincrby").contains(request.name()) && (isRefused || isExact);
        }
    },

    BOUNDS_OF_SCORES("a bound is a decimal number, not rounded, of at most 256 characters", "leaderboards.md") {
        @Override
        boolean allows(Request request, RespReply tallis, RespReply redis) {
            return (tallis.isError() && tallis.text().contains("min or max is not a float"))
                    || (request.name().startsWith("z") && request.words().contains("1e-400"));
        }
    },

    SORTED_SET_IS_HASH("a sorted set is a hash", "leaderboards.md") {
        @Override
        boolean allows(Request request, RespReply tallis, RespReply redis) {
            return request.name().equals("type")
                    ? tallis.isStatus("hash") && redis.isStatus("zset")
                    : Set.of("hgetall", "hscan", "zrange", "zscan").contains(request.name())
                            && !tallis.isError()
                            && redis.text().startsWith("WRONGTYPE");
        }
    },

    VALUE_MAX_LEN("a value has at most value-max-len bytes", "commands.md#types-and-values") {
        @Override
        boolean allows(Request request, RespReply tallis, RespReply redis) {
            return tallis.isError() && tallis.text().contains("(value-max-len)");
        }
    },

    SET_OVER_HASH("SET and its like do not replace a hash", "hashes.md") {
        @Override
        boolean allows(Request request, RespReply tallis, RespReply redis) {
            return Set.of("set", "setex", "psetex", "mset", "rename", "copy").contains(request.name())
                    && tallis.isError()
                    && tallis.text().startsWith("WRONGTYPE")
                    && !redis.isError();
        }
    },

    HASH_RENAMED_IN_TRANSACTION("hashes are not renamed or copied in MULTI and scripts", "hashes.md") {
        @Override
        boolean allows(Request request, RespReply tallis, RespReply redis) {
            return Set.of("rename", "renamenx", "copy").contains(request.name())
                    && tallis.isError()
                    && tallis.text().contains("within MULTI or a script");
        }
    },

    ENCODING("a value is kept in another form", "commands.md, OBJECT ENCODING") {
        @Override
        boolean allows(Request request, RespReply tallis, RespReply redis) {
            return request.name().equals("object|encoding") && tallis.type() == '$' && redis.type() == '$';
        }
    },

    HELLO("HELLO changes nothing unless all of its words are valid", "commands.md, HELLO") {
        @Override
        boolean allows(Request request, RespReply tallis, RespReply redis) {
            return request.name().equals("hello") && tallis.isError() && redis.isError();
        }
    },

    SCRIPT_DOUBLE("a script's {double = ...} is a string in RESP3 too", "scripts.md") {
        @Override
        boolean allows(Request request, RespReply tallis, RespReply redis) {
            return request.name().startsWith("eval") && tallis.equals(redis.withDoublesAsStrings());
        }
    },

    JSON_NUMBER("a number in JSON has at most 128 digits", "scripts.md") {
        @Override
        boolean allows(Request request, RespReply tallis, RespReply redis) {
            return request.words().size() > 1
                    && request.words().get(1).contains("cjson.decode")
                    && request.words().stream().anyMatch(word -> word.startsWith("9".repeat(128)));
        }
    },

    SIGN_OF_NAN("what is no number has no sign", "scripts.md") {
        @Override
        boolean allows(Request request, RespReply tallis, RespReply redis) {
            return request.name().startsWith("eval") && request.words().stream().anyMatch(word -> word.contains("nan"));
        }
    },

    UTF_8("bytes that are not UTF-8 are shown as U+FFFD in errors", "commands.md") {
        @Override
        boolean allows(Request request, RespReply tallis, RespReply redis) {
            return tallis.type() == redis.type()
                    && "+-".indexOf(tallis.type()) >= 0
                    && tallis.text().contains("\u00ef\u00bf\u00bd");
        }
    },

    REFERENCES("nothing is known of Redis's objects", "commands.md, OBJECT REFCOUNT") {
        @Override
        boolean allows(Request request, RespReply tallis, RespReply redis) {
            return request.name().equals("object|refcount") && tallis.type() == ':' && redis.type() == ':';
        }
    },

    IDLE_TIME("when a key was last used is not recorded", "commands.md, OBJECT IDLETIME") {
        @Override
        boolean allows(Request request, RespReply tallis, RespReply redis) {
            return request.name().equals("object|idletime") && tallis.isError() && redis.type() == ':';
        }
    };

    /// A score with fewer characters is exact as a float.
    private static final int LONG_SCORE = 16;

    private final String reason;
    private final String page;

    Difference(String reason, String page) {
        this.reason = reason;
        this.page = page;
    }

    abstract boolean allows(Request request, RespReply tallis, RespReply redis);

    /// The difference that explains why these replies differ.
    static Optional<Difference> explaining(Request request, RespReply tallis, RespReply redis) {
        return List.of(values()).stream()
                .filter(difference -> difference.allows(request, tallis, redis))
                .findFirst();
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-') + " (" + reason + "; " + page + ")";
    }
}
