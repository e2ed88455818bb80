package io.tallis.fuzz;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// A node and a Redis that get the same requests of the same clients. One client at a time has requests under way, so
/// both servers see one order.
final class Duel implements AutoCloseable {
    /// The number of clients that do not subscribe.
    static final int CLIENTS = 2;
    /// The client that subscribes.
    static final int SUBSCRIBER = CLIENTS;

    private static final int MOST_TOGETHER = 150;
    private static final int MESSAGE_MILLIS = 2000;
    /// What is asked of each key.
    private static final List<Request> INSPECTED = List.of(
            Request.of("TYPE"),
            Request.of("GET"),
            Request.of("HGETALL"),
            Request.of("PEXPIRETIME"),
            Request.of("HSCAN", "0", "COUNT", "100000"),
            Request.of("ZRANGE", "0", "-1", "WITHSCORES"),
            Request.of("ZSCAN", "0", "COUNT", "100000"));

    private static final Set<String> MESSAGES = Set.of("message", "pmessage", "smessage");

    private final int[] ports;
    private final Connection[][] connections = new Connection[2][CLIENTS + 2];
    private final Comparison[] comparisons = new Comparison[CLIENTS + 1];
    private final Map<Difference, Integer> allowed = new EnumMap<>(Difference.class);
    private final List<List<RespReply>> messages = List.of(new ArrayList<>(), new ArrayList<>());
    private long commands;
    private long nonce;

    Duel(int tallisPort, int redisPort) throws IOException {
        ports = new int[] {tallisPort, redisPort};
        begin();
    }

    long commands() {
        return commands;
    }

    Map<Difference, Integer> allowed() {
        return Collections.unmodifiableMap(allowed);
    }

    /// Deletes all keys, and connects anew.
    void begin() throws IOException {
        close();
        for (int server = 0; server < 2; server++) {
            for (int i = 0; i < connections[server].length; i++) {
                connections[server][i] = new Connection(ports[server]);
            }
            inspector(server).call("SCRIPT", "FLUSH");
            RespReply flushed = inspector(server).call("FLUSHALL");
            if (!flushed.isStatus("OK")) {
                throw new IOException("FLUSHALL: " + flushed);
            }
            messages.get(server).clear();
        }
        for (int i = 0; i < comparisons.length; i++) {
            comparisons[i] = new Comparison(allowed);
        }
    }

    private Connection inspector(int server) {
        return connections[server][CLIENTS + 1];
    }

    /// Runs the steps. Returns the first difference, or null.
    @Nullable
    String run(List<Step> steps) throws IOException {
        int begun = 0;
        for (int i = 0; i < steps.size(); i++) {
            Step step = steps.get(i);
            boolean last = i + 1 == steps.size() || steps.get(i + 1).client() != step.client();
            if (last || step.pauseMillis() > 0 || i - begun >= MOST_TOGETHER || step.client() == SUBSCRIBER) {
                List<Request> requests = requests(steps.subList(begun, i + 1));
                String difference =
                        step.client() == SUBSCRIBER ? subscriber(requests) : together(step.client(), requests);
                if (difference != null) {
                    return difference;
                }
                pause(step.pauseMillis());
                begun = i + 1;
            }
        }
        return null;
    }

    private static List<Request> requests(List<Step> steps) {
        return steps.stream().flatMap(step -> step.requests().stream()).toList();
    }

    private static void pause(int millis) throws IOException {
        if (millis > 0) {
            try {
                Thread.sleep(millis);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }
    }

    private @Nullable String together(int client, List<Request> requests) throws IOException {
        commands += requests.size();
        send(client, requests);
        String first = null;
        for (Request request : requests) {
            if (request.answer() != Request.Answer.NONE) {
                RespReply tallis = connections[0][client].read();
                RespReply redis = connections[1][client].read();
                String difference = comparisons[client].difference(request, tallis, redis);
                first = first == null && difference != null ? client + "> " + difference : first;
            }
        }
        return first;
    }

    private void send(int client, List<Request> requests) throws IOException {
        for (Connection[] server : connections) {
            requests.forEach(server[client]::add);
            server[client].flush();
        }
    }

    /// A request that may have several replies, or none. A PING marks the end of them.
    private @Nullable String subscriber(List<Request> requests) throws IOException {
        commands += requests.size();
        String mark = "mark" + nonce++;
        List<Request> marked = new ArrayList<>(requests);
        marked.add(Request.of("PING", mark));
        send(SUBSCRIBER, marked);
        List<RespReply> tallis = until(mark, 0);
        List<RespReply> redis = until(mark, 1);
        Request request = requests.getFirst();
        if (tallis.size() == 1 && redis.size() == 1) {
            return comparisons[SUBSCRIBER].difference(request, tallis.getFirst(), redis.getFirst());
        }
        // UNSUBSCRIBE from all channels has no order.
        boolean equal = request.words().size() > 1
                ? tallis.equals(redis)
                : parts(tallis).equals(parts(redis));
        return equal ? null : Comparison.described(request.toString(), tallis, redis);
    }

    private static List<List<String>> parts(List<RespReply> replies) {
        List<List<String>> parts = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int at = i;
            parts.add(replies.stream()
                    .map(reply ->
                            reply.items().size() == 3 ? reply.items().get(at).text() : reply.toString())
                    .sorted()
                    .toList());
        }
        return parts;
    }

    private List<RespReply> until(String mark, int server) throws IOException {
        List<RespReply> replies = new ArrayList<>();
        while (true) {
            RespReply reply = connections[server][SUBSCRIBER].read();
            if (isMessage(reply)) {
                messages.get(server).add(reply);
            } else if (isMark(reply, mark)) {
                return replies;
            } else {
                replies.add(reply);
            }
        }
    }

    private static boolean isMessage(RespReply reply) {
        return reply.isList()
                && !reply.items().isEmpty()
                && MESSAGES.contains(reply.items().getFirst().text());
    }

    private static boolean isMark(RespReply reply, String mark) {
        return reply.text().equals(mark)
                || (reply.items().size() == 2 && reply.items().getLast().text().equals(mark));
    }

    /// Compares the messages to subscribers and all keys of both. Returns the first difference, or null.
    @Nullable
    String compareAll() throws IOException {
        String difference = compareMessages();
        if (difference != null) {
            return difference;
        }
        Map<String, RespReply> tallis = contents(0);
        Map<String, RespReply> redis = contents(1);
        Set<String> names = new TreeSet<>(tallis.keySet());
        names.addAll(redis.keySet());
        for (String name : names) {
            RespReply one = tallis.get(name);
            RespReply other = redis.get(name);
            if (one == null || other == null || !isSame(one, other)) {
                return Comparison.described("the key " + Request.typed(name) + " afterwards", one, other);
            }
        }
        return null;
    }

    private @Nullable String compareMessages() throws IOException {
        for (int wait = 0; wait < MESSAGE_MILLIS; wait++) {
            subscriber(List.of(Request.of("PING")));
            // Several patterns of one client have no order.
            if (new RespReply('*', "", messages.get(0)).sameInAnyOrder(new RespReply('*', "", messages.get(1)))) {
                messages.forEach(List::clear);
                return null;
            }
            pause(1);
        }
        return Comparison.described("the messages to the subscriber", messages.get(0), messages.get(1));
    }

    /// All keys with type, value, and whether there is a deadline.
    private Map<String, RespReply> contents(int server) throws IOException {
        Connection connection = inspector(server);
        Set<String> keys = scanned(connection);
        for (String key : keys) {
            for (Request request : INSPECTED) {
                List<String> words = new ArrayList<>(request.words());
                words.add(1, key);
                connection.add(Request.of(words));
            }
        }
        connection.flush();
        Map<String, RespReply> contents = new TreeMap<>();
        for (String key : keys) {
            List<RespReply> read = new ArrayList<>();
            for (int i = 0; i < INSPECTED.size(); i++) {
                read.add(connection.read());
            }
            contents.put(key, new RespReply('*', "", read));
        }
        return contents;
    }

    /// All names that an iteration in small steps finds.
    private static Set<String> scanned(Connection connection) throws IOException {
        Set<String> found = new TreeSet<>();
        String cursor = "0";
        do {
            RespReply reply = connection.call("SCAN", cursor, "COUNT", "7");
            cursor = reply.items().getFirst().text();
            reply.items().get(1).items().forEach(item -> found.add(item.text()));
        } while (!cursor.equals("0"));
        return found;
    }

    private boolean isSame(RespReply one, RespReply other) {
        Comparison comparison = new Comparison(allowed);
        for (int i = 0; i < INSPECTED.size(); i++) {
            if (comparison.difference(
                            INSPECTED.get(i), one.items().get(i), other.items().get(i))
                    != null) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void close() throws IOException {
        for (Connection[] server : connections) {
            for (Connection connection : server) {
                if (connection != null) {
                    connection.close();
                }
            }
        }
    }
}
