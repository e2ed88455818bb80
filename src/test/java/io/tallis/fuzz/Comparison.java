package io.tallis.fuzz;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Decides whether two replies to a request are as good as equal, for one client, whose transaction it follows.
final class Comparison {
    /// The servers get a request one after the other, on a machine that may be busy. Deadlines are ten seconds apart.
    private static final long TOLERATED_SECONDS = 8;

    private static final long TOLERATED_MILLIS = 1000 * TOLERATED_SECONDS;
    private static final long TOLERATED_KEYS = 3;

    private final Map<Difference, Integer> allowed;
    private @Nullable List<Request> queued;
    /// What both replied to the latest request for all fields, members or keys, of which random replies are a part.
    private RespReply @Nullable [] whole;

    Comparison(Map<Difference, Integer> allowed) {
        this.allowed = allowed;
    }

    /// What differs; null if nothing does.
    @Nullable
    String difference(Request request, RespReply tallis, RespReply redis) {
        boolean both = tallis.isStatus("QUEUED") && redis.isStatus("QUEUED");
        if (both && queued != null) {
            queued.add(request);
            return null;
        }
        String difference =
                request.name().equals("exec") ? ofExec(request, tallis, redis) : ofOne(request, tallis, redis);
        follow(request, redis);
        return difference;
    }

    private void follow(Request request, RespReply redis) {
        switch (request.name()) {
            case "multi" -> queued = redis.isStatus("OK") ? new ArrayList<>() : queued;
            case "discard", "reset" -> queued = redis.isError() ? queued : null;
            case "exec" -> queued = request.words().size() == 1 ? null : queued;
            default -> {}
        }
    }

    private @Nullable String ofExec(Request exec, RespReply tallis, RespReply redis) {
        List<Request> requests = queued;
        if (requests == null
                || tallis.type() != '*'
                || redis.type() != '*'
                || redis.items().size() != requests.size()
                || tallis.items().size() != requests.size()) {
            return ofOne(exec, tallis, redis);
        }
        String difference = null;
        for (int i = 0; i < requests.size(); i++) {
            String next =
                    ofOne(requests.get(i), tallis.items().get(i), redis.items().get(i));
            difference = difference == null ? next : difference;
        }
        return difference;
    }

    private @Nullable String ofOne(Request request, RespReply tallis, RespReply redis) {
        boolean equal = request.answer() == Request.Answer.READ
                || tallis.equals(redis)
                || (tallis.type() == redis.type() && isAsGood(request, tallis, redis));
        switch (request.name()) {
            case "hgetall", "zrange", "keys" -> whole = new RespReply[] {tallis, redis};
            case "hrandfield", "zrandmember", "randomkey" ->
                equal &= isPartOfWhole(tallis, 0) && isPartOfWhole(redis, 1);
            default -> {}
        }
        if (equal) {
            return null;
        }
        var known = Difference.explaining(request, tallis, redis);
        known.ifPresent(difference -> allowed.merge(difference, 1, Integer::sum));
        return known.isPresent() ? null : described(request.toString(), tallis, redis);
    }

    static String described(String what, @Nullable Object tallis, @Nullable Object redis) {
        return what + "\n  Tallis " + tallis + "\n  Redis  " + redis;
    }

    private boolean isAsGood(Request request, RespReply tallis, RespReply redis) {
        if (tallis.isError()) {
            return false;
        }
        return switch (request.name()) {
            case "ttl", "expiretime" -> isNear(tallis, redis, TOLERATED_SECONDS);
            case "pttl", "pexpiretime" -> isNear(tallis, redis, TOLERATED_MILLIS);
            case "hkeys", "hvals", "keys", "pubsub|channels", "pubsub|shardchannels" -> tallis.sameInAnyOrder(redis);
            // Keys whose deadline has come are counted until they are swept.
            case "dbsize" -> isNear(tallis, redis, TOLERATED_KEYS);
            case "hgetall" -> tallis.samePairsInAnyOrder(redis);
            case "hscan", "zscan" -> !request.words().contains("0") || isSameScan(tallis, redis);
            case "hrandfield", "zrandmember" ->
                tallis.items().size() == redis.items().size();
            case "scan", "randomkey", "client|id", "time", "hello" -> true;
            default -> false;
        };
    }

    private static boolean isNear(RespReply tallis, RespReply redis, long tolerated) {
        long one = Long.parseLong(tallis.text());
        long other = Long.parseLong(redis.text());
        return one >= 0 && other >= 0 && Math.abs(one - other) <= tolerated;
    }

    /// Both need not return the same part of a hash at a time.
    private static boolean isSameScan(RespReply tallis, RespReply redis) {
        boolean complete = isComplete(tallis) && isComplete(redis);
        return !complete
                || tallis.items().get(1).samePairsInAnyOrder(redis.items().get(1));
    }

    private static boolean isComplete(RespReply scan) {
        return scan.items().getFirst().text().equals("0");
    }

    private boolean isPartOfWhole(RespReply random, int server) {
        if (whole == null || random.isError() || random.isNull()) {
            return true;
        }
        Set<String> known = new HashSet<>();
        texts(whole[server], known);
        Set<String> chosen = new HashSet<>();
        texts(random, chosen);
        return known.containsAll(chosen);
    }

    private static void texts(RespReply reply, Set<String> texts) {
        if (reply.isList()) {
            reply.items().forEach(item -> texts(item, texts));
        } else {
            texts.add(reply.text());
        }
    }
}
