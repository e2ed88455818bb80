package io.tallis.transcript;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.keyspace.Counters;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/// A client without a connection, which calls the dispatcher directly.
public final class FakeClient {
    private final FakeServer server;
    private final PrintedReply reply;
    private final FakeLink link;
    private final Client client;
    private final Arguments arguments = new Arguments();

    FakeClient(FakeServer server, int id, Counters counters) {
        this.server = server;
        reply = new PrintedReply(this::client);
        link = new FakeLink(id, reply);
        client = new Client(id, link, counters);
        server.access().admit(client);
        server.clients().opened(client);
    }

    public Client client() {
        return client;
    }

    public boolean isClosed() {
        return link.isClosed();
    }

    /// Sends a request of these words, split at blanks. Returns what redis-cli would print.
    public String says(String words) {
        return says(split(words));
    }

    private static List<byte[]> split(String words) {
        return Stream.of(words.split(" ", -1))
                .map(word -> word.getBytes(StandardCharsets.UTF_8))
                .toList();
    }

    /// As [#says(String)], for words that contain blanks.
    public String says(List<byte[]> words) {
        send(words);
        return String.join("\n", heard());
    }

    /// As [#says(String)], for a request that arrived together with the previous one.
    public String goesOn(String words) {
        take(split(words));
        server.handleNext(arguments, client, reply);
        return String.join("\n", heard());
    }

    /// Sends a request.
    public void send(List<byte[]> words) {
        take(words);
        server.handle(arguments, client, reply);
    }

    private void take(List<byte[]> words) {
        byte[] request =
                new byte[words.stream().mapToInt(word -> word.length + 1).sum() + 3];
        arguments.begin(request);
        int at = 3;
        for (byte[] word : words) {
            System.arraycopy(word, 0, request, at, word.length);
            arguments.add(at, word.length);
            at += word.length + 1;
        }
    }

    /// What was printed since the last call.
    public List<String> heard() {
        return reply.take();
    }

    public void disconnect() {
        server.clients().closed(client);
        link.kill();
    }
}
