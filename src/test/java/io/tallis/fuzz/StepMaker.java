package io.tallis.fuzz;

import io.tallis.fuzz.Request.Answer;
import io.tallis.fuzz.Vocabulary.Kind;
import io.tallis.testing.Gen;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/// Random steps of clients: single requests, transactions, and groups of requests of which one tells what another
/// should reply.
///
/// Where Tallis is known to do otherwise than Redis (see [Difference]), a `DEL` in the same step makes keys equal
/// again.
final class StepMaker {
    private static final int MOST_FIELDS = 1500;
    private static final int MOST_WORDS_DELETED = 20;
    private static final int LONGEST_DELETED = 10_000;
    private static final int PAUSE_MILLIS = 8;
    private static final Set<String> MAY_CHANGE_NOTHING = Set.of("incrby", "decrby", "hincrby", "append");
    private static final String[] WHOLE = {
        "1",
        "5",
        "-5",
        "5.0",
        "1e2",
        "-2.50e1",
        "0",
        "-0",
        "0.0",
        "100e-2",
        "1e15",
        "12345678",
        "+3",
        " 3",
        "3 ",
        "",
        "abc",
        "1e",
        "1.0x",
        "nan"
    };
    private static final String[] FRACTIONS = {
        "0.5",
        "-1.5",
        "3.14159",
        "1e-3",
        "1e300",
        "1e400",
        "1e19",
        "9223372036854775807",
        "-9223372036854775808",
        "1.5e0",
        "0x10",
        "inf",
        "-inf"
    };
    private static final String[] FRACTIONAL_MEMBERS = {"half", "eighth", "time"};
    private static final String[] UNKNOWN = {
        "foo", "", "gett", "a b", "\r\n", "\u00e9", "client|id", "x".repeat(200), "'", "%s", "1"
    };
    private static final String[] CONTAINERS = {"object", "client", "pubsub", "script", "command"};

    private final Gen gen;
    private final Vocabulary vocabulary;
    private final RequestMaker requests;
    private final ScriptMaker scripts;
    /// By client, whether a transaction is probably open.
    private final boolean[] open = new boolean[Duel.CLIENTS];

    StepMaker(Gen gen, Vocabulary vocabulary) {
        this.gen = gen;
        this.vocabulary = vocabulary;
        requests = new RequestMaker(gen, vocabulary);
        scripts = new ScriptMaker(gen, vocabulary);
    }

    /// All connections are as new ones.
    void begin() {
        Arrays.fill(open, false);
    }

    /// Steps of one client.
    List<Step> round() {
        if (gen.chance(6)) {
            return subscriberRound();
        }
        int client = gen.between(0, Duel.CLIENTS - 1);
        List<Step> steps = new ArrayList<>();
        for (int i = gen.between(1, gen.chance(20) ? 8 : 200); i > 0; i--) {
            steps.add(step(client));
        }
        if (gen.chance(4) && !open[client]) {
            steps.add(new Step(client, shortLife(), PAUSE_MILLIS));
        }
        return steps;
    }

    private List<Step> subscriberRound() {
        List<Step> steps = new ArrayList<>();
        for (int i = gen.between(1, 10); i > 0; i--) {
            steps.add(new Step(Duel.SUBSCRIBER, List.of(requests.pubsub())));
        }
        return steps;
    }

    private Step step(int client) {
        int kind = gen.between(0, 999);
        if (kind < 70) {
            return new Step(client, seen(scripts.eval()));
        }
        if (kind < 140) {
            return transaction(client);
        }
        if (kind < 200) {
            return new Step(client, other());
        }
        if (kind < 240) {
            return new Step(client, floats());
        }
        if (kind < 245) {
            return new Step(client, List.of(fraction()));
        }
        if (kind < 260) {
            return new Step(client, random());
        }
        if (kind < 264) {
            return silence(client);
        }
        if (kind < 268) {
            return new Step(client, List.of(unknown()));
        }
        if (kind < 272) {
            return new Step(client, atLimits(client));
        }
        if (kind < 273) {
            return new Step(client, List.of(manyFields()));
        }
        if (kind < 281 && !open[client]) {
            return new Step(client, seen(manyMembers()));
        }
        return new Step(client, data(open[client]));
    }

    /// A hash that is read in pieces.
    private Request manyFields() {
        List<String> words = new ArrayList<>(List.of("HSET", vocabulary.hash()));
        for (int i = gen.between(100, gen.chance(20) ? MOST_FIELDS : 300); i > 0; i--) {
            words.add("many" + i);
            words.add(Integer.toString(i));
        }
        return Request.of(words);
    }

    /// A sorted set that is read in pieces. Several in one transaction would change too much at once.
    private Request manyMembers() {
        List<String> words = new ArrayList<>(List.of("zadd", vocabulary.sortedSet()));
        int apart = gen.pick(1, 30, 1000);
        for (int i = gen.between(10, gen.pick(60, 200, Vocabulary.MANY_MEMBERS)); i > 0; i--) {
            words.add(Integer.toString(i / apart));
            words.add("many" + i);
        }
        return Request.of(words);
    }

    private Step transaction(int client) {
        int kind = gen.between(0, 99);
        if (kind < 25) {
            return new Step(client, watch());
        }
        if (kind < 28) {
            return new Step(client, List.of(Request.of("UNWATCH")));
        }
        if (kind < 34) {
            String name = gen.pick("MULTI", "EXEC", "DISCARD", "WATCH", "UNWATCH");
            return new Step(
                    client,
                    List.of(name.equals("WATCH") ? Request.of(name) : Request.of(name, vocabulary.misplaced())));
        }
        if (kind < 36) {
            open[client] = false;
            return new Step(client, List.of(Request.of("RESET")));
        }
        boolean opens = open[client] ? kind > 94 : kind < 94;
        open[client] = opens;
        return new Step(client, List.of(Request.of(opens ? "multi" : gen.chance(85) ? "exec" : "discard")));
    }

    /// HELLO may fail when it has named the client in Redis, which is named anew therefore.
    private List<Request> other() {
        Request request = requests.other();
        return request.name().equals("hello") && request.words().size() > 2
                ? List.of(request, Request.of("CLIENT", "SETNAME", "me"))
                : List.of(request);
    }

    /// A hash is watched while it is there: one that comes and goes before EXEC is not noticed.
    private List<Request> watch() {
        Kind kind = gen.pick(Kind.values());
        String key = vocabulary.key(kind);
        Request watch = Request.of("WATCH", key, vocabulary.string());
        return kind == Kind.STRING ? List.of(watch) : List.of(creation(kind, key, "a", "1"), watch);
    }

    private static Request creation(Kind kind, String key, String field, String number) {
        return switch (kind) {
            case STRING -> Request.of("SET", key, number);
            case HASH -> Request.of("HSET", key, field, number);
            case SORTED_SET -> Request.of("ZINCRBY", key, number, field);
        };
    }

    /// A command on keys, and a DEL of them if they may differ afterwards.
    private List<Request> data(boolean inTransaction) {
        RequestMaker.Made made = requests.data();
        Request request = made.request();
        List<String> words = request.words();
        if (inTransaction && made.spoiled() && words.contains("")) {
            return List.of(Request.of("ping"));
        }
        String group = requests.groupOfWrites(request);
        if (group.isEmpty()) {
            return List.of(request);
        }
        Set<Kind> kinds = Vocabulary.kinds(words);
        boolean differs = made.spoiled()
                || switch (group) {
                    case "string" -> kinds.contains(Kind.HASH) || kinds.contains(Kind.SORTED_SET);
                    case "hash", "sorted-set" -> kinds.contains(Kind.STRING);
                    default -> kinds.size() > 1 || (inTransaction && !kinds.contains(Kind.STRING));
                };
        return differs ? repaired(request, inTransaction) : seen(request);
    }

    /// The request, and a later deadline if the request may change nothing but the version of the key in one of the
    /// servers: WATCH takes that for a change there. In Tallis so does ZADD of a score that is there.
    private List<Request> seen(Request request) {
        List<String> words = request.words();
        Set<Kind> kinds = Vocabulary.kinds(words);
        boolean isScript = request.name().startsWith("eval");
        boolean assigns = request.name().equals("zadd") || (isScript && kinds.contains(Kind.SORTED_SET));
        boolean maySeemToChange = isScript || MAY_CHANGE_NOTHING.contains(request.name());
        if (!assigns && (!maySeemToChange || (!words.contains("0") && !words.contains("")))) {
            return List.of(request);
        }
        List<Request> all = new ArrayList<>(List.of(request));
        kinds.stream()
                .flatMap(kind -> kind.keys().stream())
                .filter(words::contains)
                .forEach(key -> all.add(expire(key)));
        return all;
    }

    private Request expire(String key) {
        return Request.of("EXPIRE", key, Integer.toString(gen.between(1_000_000, 2_000_000)));
    }

    /// The request, and a DEL of all words that may be keys. Strings are there before, so that the DEL changes them for
    /// a client that watches. In a transaction the empty key is none: the refusal of it would abort the transaction.
    private static List<Request> repaired(Request request, boolean inTransaction) {
        List<String> words = request.words().stream()
                .skip(1)
                .filter(word -> word.length() < LONGEST_DELETED)
                .distinct()
                .limit(MOST_WORDS_DELETED)
                .toList();
        List<String> deletion = new ArrayList<>(List.of("DEL"));
        words.stream().filter(Predicate.not(String::isEmpty)).forEach(deletion::add);
        List<Request> all = new ArrayList<>();
        words.stream().filter(Kind.STRING.keys()::contains).forEach(key -> all.add(Request.of("SETNX", key, "1")));
        all.add(request);
        if (deletion.size() > 1) {
            all.add(Request.of(deletion).with(Answer.READ));
        }
        if (words.contains("") && !inTransaction) {
            all.add(Request.of("DEL", "").with(Answer.READ));
        }
        return all;
    }

    /// Increments by what is written as a fraction.
    private List<Request> floats() {
        Kind kind = gen.pick(Kind.values());
        String key = vocabulary.key(kind);
        boolean known = gen.chance(60);
        List<Request> all = new ArrayList<>();
        String number = Integer.toString(gen.between(-1000, 1000));
        if (known) {
            all.add(Request.of("DEL", key));
            all.add(creation(kind, key, "a", number));
        }
        // Were there no value now, Redis alone might have one, see #watch.
        all.add(kind == Kind.STRING ? Request.of("SETNX", key, "1") : creation(kind, key, "b", "1"));
        String amount = known || gen.chance(30) ? gen.pick(WHOLE) : gen.pick(FRACTIONS);
        all.add(
                switch (kind) {
                    case STRING -> Request.of("INCRBYFLOAT", key, amount);
                    case HASH -> Request.of("HINCRBYFLOAT", key, "a", amount);
                    case SORTED_SET -> Request.of("ZINCRBY", key, amount, "a");
                });
        if (!known || gen.chance(20)) {
            all.add(Request.of("DEL", key).with(Answer.READ));
        } else {
            all.add(expire(key));
        }
        return all;
    }

    /// A score with a fraction that both write alike. Tallis adds nothing to it, so the member is one that has no
    /// other scores.
    private Request fraction() {
        List<String> words = new ArrayList<>(List.of("ZADD", vocabulary.sortedSet()));
        if (gen.chance(30)) {
            words.add(gen.pick("NX", "XX", "GT", "LT", "CH"));
        }
        String score = gen.pick("0.5", "-0.5", "125e-3", "-7.25", "99.0625", "1732872000.5", "+0.750");
        words.addAll(List.of(score, gen.pick(FRACTIONAL_MEMBERS)));
        return Request.of(words);
    }

    /// A random reply after all that it may be.
    private List<Request> random() {
        if (gen.chance(30)) {
            return List.of(Request.of("KEYS", "*"), Request.of("RANDOMKEY"));
        }
        boolean isHash = gen.chance(50);
        String key = gen.chance(5) ? vocabulary.string() : isHash ? vocabulary.hash() : vocabulary.sortedSet();
        List<String> words = new ArrayList<>(List.of(isHash ? "HRANDFIELD" : "ZRANDMEMBER", key));
        if (gen.chance(70)) {
            words.add(vocabulary.word("count"));
            if (gen.chance(50)) {
                words.add(
                        isHash ? gen.pick("WITHVALUES", "withvalues", "X") : gen.pick("WITHSCORES", "withscores", "X"));
            }
        }
        Request all = isHash ? Request.of("HGETALL", key) : Request.of("ZRANGE", key, "0", "-1", "WITHSCORES");
        return List.of(all, Request.of(words));
    }

    /// Requests without a reply. The DISCARD ends a transaction, in which they would be queued.
    private Step silence(int client) {
        open[client] = false;
        List<Request> all = new ArrayList<>(List.of(Request.of("DISCARD")));
        if (gen.chance(50)) {
            all.add(Request.of("CLIENT", "REPLY", "SKIP").with(Answer.NONE));
            List<Request> some = data(false);
            all.add(some.getFirst().with(Answer.NONE));
            all.addAll(some.subList(1, some.size()));
        } else {
            all.add(Request.of("CLIENT", "REPLY", "OFF").with(Answer.NONE));
            for (int i = gen.between(0, 5); i > 0; i--) {
                data(false).forEach(request -> all.add(request.with(Answer.NONE)));
            }
            all.add(Request.of("CLIENT", "REPLY", "ON"));
        }
        return new Step(client, all);
    }

    private Request unknown() {
        List<String> words = new ArrayList<>();
        if (gen.chance(50)) {
            words.add(gen.pick(CONTAINERS));
        }
        words.add(gen.pick(UNKNOWN));
        for (int i = gen.between(0, 3); i > 0; i--) {
            words.add(vocabulary.misplaced());
        }
        return Request.of(words);
    }

    /// Long values, and the empty key.
    private List<Request> atLimits(int client) {
        String key = vocabulary.string();
        Request request = switch (gen.between(0, 5)) {
            case 0 -> Request.of("SETRANGE", key, gen.pick("65530", "65537", "100000", "536870912"), "abcdef");
            case 1 -> Request.of("SET", key, "v".repeat(gen.between(65530, 65540)));
            case 2 -> Request.of("APPEND", key, "v".repeat(gen.between(65530, 65540)));
            case 3 -> Request.of("SET", open[client] ? key : "", "1");
            case 4 -> Request.of("HSET", vocabulary.hash(), "a", "v".repeat(gen.between(65530, 65540)));
            default -> Request.of("SETRANGE", key, "60000", "abcdef");
        };
        return repaired(request, open[client]);
    }

    /// A key that ends before the next step.
    private List<Request> shortLife() {
        String key = vocabulary.key(gen.pick(Kind.values()));
        return List.of(
                switch (gen.between(0, 3)) {
                    case 0 -> Request.of("SET", vocabulary.string(), "1", "PX", "1");
                    case 1 -> Request.of("GETEX", vocabulary.string(), "PX", "2");
                    default -> Request.of("PEXPIRE", key, "1");
                });
    }
}
