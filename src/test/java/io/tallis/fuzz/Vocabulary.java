package io.tallis.fuzz;

import io.tallis.testing.Gen;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/// The words of random requests: few names, so that requests meet; numbers at all limits, and what is no number.
///
/// A key is of the [Kind] that its name says. `SET` replaces a hash in Redis only, so a request that would make a
/// key of another kind is followed by a `DEL` of it (see [StepMaker]).
final class Vocabulary {
    /// What a key is. A sorted set is a hash in Tallis, and none in Redis.
    enum Kind {
        STRING,
        HASH,
        SORTED_SET;

        List<String> keys() {
            return switch (this) {
                case STRING -> STRINGS;
                case HASH -> HASHES;
                case SORTED_SET -> SORTED_SETS;
            };
        }
    }

    private static final List<String> STRINGS =
            List.of("s:1", "s:2", "s:3", "s:4", "s:5", "s:6", "{t}s", "S\r\n\0\u00ff", "s".repeat(300));
    private static final List<String> HASHES =
            List.of("h:1", "h:2", "h:3", "h:4", "h:5", "{t}h", "H \"\u00e9\u0001", "h".repeat(300));
    private static final List<String> SORTED_SETS =
            List.of("z:1", "z:2", "z:3", "{t}z", "Z\n\0\u00ff", "z".repeat(130));

    /// The members of a sorted set that are many.
    static final int MANY_MEMBERS = 1100;

    private static final List<String> FIELDS =
            List.of("a", "b", "c", "d", "e", "f", "1", "-1", "", "F\r\n\0\u00fe", "f".repeat(100));
    private static final List<String> NO_INTEGERS = List.of(
            "",
            " 1",
            "1 ",
            "+1",
            "-0",
            "00",
            "007",
            "-01",
            "1.0",
            "0.5",
            "-1.5",
            "1e2",
            "1e400",
            "1e-400",
            "inf",
            "-inf",
            "+inf",
            "nan",
            "-nan",
            "infinity",
            "0x10",
            "abc",
            "1\u0000",
            "--1",
            "-",
            ".",
            "5.",
            ".5",
            "1_0",
            "9".repeat(25),
            "9".repeat(400),
            "3.0e3",
            "1e18",
            "\u00b2",
            "1,5",
            "2\n",
            "\t3",
            "0b1",
            "1L",
            "1f",
            "1d",
            "1e",
            "9223372036854775808",
            "-9223372036854775809",
            "18446744073709551615",
            "18446744073709551616");
    private static final List<String> EDGES = List.of(
            "0",
            "1",
            "-1",
            "9999",
            "10000",
            "32767",
            "-32768",
            "2147483647",
            "2147483648",
            "-2147483648",
            "4294967295",
            "4294967296",
            "9007199254740993",
            "9223372036854775807",
            "9223372036854775806",
            "-9223372036854775808",
            "-9223372036854775807");
    private static final List<String> TEXTS = List.of(
            "hello",
            "",
            "a b",
            "x".repeat(44),
            "x".repeat(45),
            "y".repeat(64),
            "y".repeat(65),
            "z".repeat(1000),
            "\u0000\u0001\u00ff\r\n",
            "OK",
            "QUEUED",
            "nil",
            "true",
            "{\"a\":[1,2.5,null]}",
            "\u00c3\u00a9",
            "%s%d",
            "*3\r\n$1\r\n");
    private static final List<String> PATTERNS = List.of(
            "*",
            "s:*",
            "h:?",
            "[sh]:[1-3]",
            "",
            "\\*",
            "*1",
            "[^s]*",
            "[a-",
            "?",
            "*\r\n*",
            "[z-a]",
            "\\",
            "a**b",
            "f*f");
    private static final List<String> UNKNOWN_WORDS = List.of(
            "",
            "FOO",
            "NX",
            "XX",
            "GT",
            "LT",
            "INCR",
            "WITHSCORES",
            "LIMIT",
            "REV",
            "BYSCORE",
            "EX",
            "PX",
            "GET",
            "KEEPTTL",
            "WITHVALUES",
            "-1",
            "0",
            "MATCH",
            "a\r\nb",
            "DB");
    /// Sums of as many as there are requests between two beginnings are exact as floats.
    private static final List<String> SCORES = List.of(
            "0", "5.0", "1e2", "-2.50e1", "100e-2", "+3", "007", "1000000000000", "-1e12", "", " 3", "3 ", "1e", "nan");
    private static final List<String> BOUNDS =
            List.of("-inf", "+inf", "inf", "-INF", "Infinity", "1.5", "-7.25", ".5", "5.", "1e1", "-1e300");
    private static final Set<String> CONTAINERS =
            Set.of("object", "client", "pubsub", "script", "command", "config", "function", "memory");
    private static final long FAR_SECONDS = 1000;
    private static final long APART_SECONDS = 10;
    private static final int DEADLINES = 100_003;
    private static final int STRIDE = 7_919;

    private final Gen gen;
    private final long nowSeconds;
    private int deadlines;

    Vocabulary(Gen gen, long nowSeconds) {
        this.gen = gen;
        this.nowSeconds = nowSeconds;
    }

    static boolean isContainer(String name) {
        return CONTAINERS.contains(name);
    }

    /// The kinds of the keys among these words.
    static Set<Kind> kinds(List<String> words) {
        Set<Kind> kinds = EnumSet.allOf(Kind.class);
        kinds.removeIf(kind -> Collections.disjoint(kind.keys(), words));
        return kinds;
    }

    String key(Kind kind) {
        return gen.pick(kind.keys());
    }

    String string() {
        return key(Kind.STRING);
    }

    String hash() {
        return key(Kind.HASH);
    }

    String sortedSet() {
        return key(Kind.SORTED_SET);
    }

    /// A word that no argument has on purpose.
    String misplaced() {
        return gen.pick(gen.pick(NO_INTEGERS, UNKNOWN_WORDS, EDGES, TEXTS));
    }

    /// A value of the argument of this name.
    String word(String argument) {
        return switch (argument) {
            case "field" -> gen.pick(FIELDS);
            case "member" -> gen.chance(70) ? gen.pick(FIELDS) : "many" + gen.between(1, MANY_MEMBERS);
            case "score" -> gen.chance(90) ? Integer.toString(gen.between(-100, 100)) : gen.pick(SCORES);
            case "min", "max" -> bound();
            case "value", "message" -> value();
            case "increment", "decrement" -> increment();
            case "seconds" -> time(0, 1);
            case "milliseconds" -> time(0, 1000);
            case "unix-time-seconds" -> time(nowSeconds, 1);
            case "unix-time-milliseconds" -> time(nowSeconds * 1000, 1000);
            case "start", "end", "stop" -> gen.chance(90) ? number(gen.between(-70, 70)) : bound();
            // Redis would make a value of hundreds of megabytes.
            case "offset" ->
                gen.chance(90) ? Integer.toString(gen.between(0, 90)) : gen.pick(gen.pick(EDGES, NO_INTEGERS));
            case "count" ->
                gen.chance(90)
                        ? Integer.toString(gen.between(-12, 12))
                        : gen.pick("9223372036854775807", "1000", "abc", "", "1.0", "9223372036854775808");
            case "cursor" ->
                gen.chance(85)
                        ? "0"
                        : gen.pick(
                                "1", "17", "-1", "abc", "", "18446744073709551615", "18446744073709551616", "00", " 0");
            case "pattern" -> gen.pick(PATTERNS);
            case "type" -> gen.pick("string", "hash", "list", "STRING", "Hash", "none");
            case "channel", "shardchannel" -> gen.pick("c1", "c2", "c3", "news.1", "\r\n\u00ff");
            case "index", "destination-db" ->
                gen.chance(80) ? "0" : gen.pick("1", "-1", "abc", "99999999999", "00", "");
            case "protover" ->
                gen.chance(85) ? gen.pick("2", "3") : gen.pick("1", "4", "abc", "", "9223372036854775808", "-3");
            case "username" -> gen.pick("default", "default", "ann", "");
            case "password" -> gen.pick("secret", "");
            case "connection-name", "clientname" ->
                gen.pick("me", "you", "", "a b", "new\nline", "\u00e9", "x".repeat(50));
            case "sha1" -> ScriptMaker.someSha(gen);
            default -> throw new IllegalArgumentException("no words for the argument " + argument);
        };
    }

    private String value() {
        return switch (gen.between(0, 9)) {
            case 0, 1, 2, 3 -> Long.toString(gen.between(-100, 100));
            case 4 -> gen.pick(EDGES);
            case 5 -> gen.pick(NO_INTEGERS);
            case 6 -> Long.toString(gen.anyLong());
            default -> gen.pick(TEXTS);
        };
    }

    private String increment() {
        return number(gen.between(-100, 100));
    }

    private String bound() {
        return gen.pick("", "", "(")
                + (gen.chance(70) ? Integer.toString(gen.between(-100, 100)) : gen.pick(gen.pick(BOUNDS, EDGES)));
    }

    private String number(long usual) {
        return switch (gen.between(0, 11)) {
            case 0 -> gen.pick(EDGES);
            case 1 -> gen.pick(NO_INTEGERS);
            case 2 -> Long.toString(gen.anyLong());
            default -> Long.toString(usual);
        };
    }

    /// Deadlines are seconds apart, so that comparing two of them does not depend on when a request arrives.
    private String time(long base, long unit) {
        deadlines++;
        long apart = (long) deadlines * STRIDE % DEADLINES;
        return switch (gen.between(0, 15)) {
            case 0 -> base == 0 ? gen.pick("0", "-1", "-100") : gen.pick("0", "-1", "1", "1000000");
            case 1 -> gen.pick(NO_INTEGERS);
            case 2 ->
                gen.pick(
                        "9223372036854775807",
                        "9223372036854775806",
                        "9223372036854775",
                        "9223372036854776",
                        "9223370000000000",
                        "9000000000000",
                        "-9223372036854775808",
                        "-9223372036854775807");
            default -> Long.toString(base + (FAR_SECONDS + APART_SECONDS * apart) * unit);
        };
    }
}
