package io.tallis.transcript;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// A dialogue with a fresh server.
///
/// A file is a Markdown page; each `##` heading in it begins a dialogue, which stands in fenced blocks:
///
/// ```
/// @ maxmemory 1000          changes the server; see [#prepare]
/// > INCR "a key"            a request of the default client, quoted as in redis-cli
/// (integer) 1               what redis-cli prints
/// b> SUBSCRIBE news         a request of another client, which connects with it
/// b: 1) "message"           what a client prints without a request
/// ```
///
/// `{x*200}` within a word stands for 200 times `x`. A client whose connection the server closed prints `(closed)`.
final class Transcript {
    private static final String USUAL_CLIENT = "";

    private final String title;
    private final List<String> lines;
    private final FakeServer server = new FakeServer();
    private final Map<String, FakeClient> clients = new LinkedHashMap<>();
    private final List<FakeClient> gone = new ArrayList<>();

    private Transcript(String title, List<String> lines) {
        this.title = title;
        this.lines = lines;
    }

    /// The dialogues of a page.
    static List<Transcript> of(String page) {
        List<Transcript> transcripts = new ArrayList<>();
        String title = "";
        List<String> lines = new ArrayList<>();
        boolean fenced = false;
        for (String line : page.lines().toList()) {
            if (line.startsWith("```")) {
                fenced = !fenced;
            } else if (fenced) {
                lines.add(line);
            } else if (line.startsWith("## ")) {
                add(title, lines, transcripts);
                title = line.substring(3);
                lines = new ArrayList<>();
            }
        }
        add(title, lines, transcripts);
        return transcripts;
    }

    private static void add(String title, List<String> lines, List<Transcript> transcripts) {
        if (!lines.isEmpty()) {
            transcripts.add(new Transcript(title, lines));
        }
    }

    String title() {
        return title;
    }

    /// The dialogue as the page has it.
    String written() {
        return String.join("\n", lines);
    }

    /// The dialogue as it takes place: the same requests with the answers that they get.
    String run() {
        List<String> out = new ArrayList<>();
        for (String line : lines) {
            int prompt = line.indexOf("> ");
            if (line.startsWith("@ ")) {
                out.add(line);
                prepare(line.substring(2).split(" ", -1));
            } else if (prompt == 0 || (prompt == 1 && Character.isLowerCase(line.charAt(0)))) {
                out.add(line);
                ask(line.substring(0, prompt), line.substring(prompt + 2), out);
            }
        }
        return String.join("\n", out);
    }

    private void prepare(String[] words) {
        String rest = String.join(" ", List.of(words).subList(1, words.length));
        switch (words[0]) {
            case "password" -> server.password(rest);
            case "debug" -> server.debug(rest);
            case "maxmemory" -> server.maxMemory(Long.parseLong(rest));
            case "cluster" -> server.cluster();
            case "loading" -> server.loading(rest.equals("yes"));
            case "refuse-writes" -> server.refuseWrites(rest.isEmpty() ? null : rest);
            case "millis-pass" -> server.passMillis(Long.parseLong(rest));
            case "sweep" -> server.sweep();
            case "seconds-pass" -> server.pass(Long.parseLong(rest));
            case "former-session" -> FormerSession.merge(server.keyspace(), words);
            default -> throw new IllegalArgumentException("@ " + words[0] + " is unknown");
        }
    }

    private void ask(String name, String request, List<String> out) {
        FakeClient client = clients.computeIfAbsent(name, _ -> server.connect());
        client.send(words(request));
        out.addAll(client.heard());
        clients.forEach((other, listener) -> {
            String prefix = other.equals(USUAL_CLIENT) ? ": " : other + ": ";
            listener.heard().forEach(line -> out.add(prefix + line));
            if (listener.isClosed() && !gone.contains(listener)) {
                gone.add(listener);
                listener.disconnect();
                out.add(other.equals(name) ? "(closed)" : prefix + "(closed)");
            }
        });
    }

    private static List<byte[]> words(String request) {
        List<byte[]> words = new ArrayList<>();
        int at = 0;
        while (at < request.length()) {
            if (request.charAt(at) == ' ') {
                at++;
                continue;
            }
            ByteArrayOutputStream word = new ByteArrayOutputStream();
            at = request.charAt(at) == '"' ? quoted(request, at + 1, word) : plain(request, at, word);
            words.add(word.toByteArray());
        }
        return words;
    }

    private static int plain(String request, int from, ByteArrayOutputStream word) {
        int at = from;
        while (at < request.length() && request.charAt(at) != ' ') {
            if (request.charAt(at) == '{' && request.indexOf('}', at) > 0 && request.charAt(at + 2) == '*') {
                int end = request.indexOf('}', at);
                int times = Integer.parseInt(request.substring(at + 3, end));
                word.writeBytes(request.substring(at + 1, at + 2).repeat(times).getBytes(StandardCharsets.UTF_8));
                at = end + 1;
            } else {
                word.write(request.charAt(at++));
            }
        }
        return at;
    }

    private static int quoted(String request, int from, ByteArrayOutputStream word) {
        int at = from;
        while (request.charAt(at) != '"') {
            char letter = request.charAt(at++);
            if (letter != '\\') {
                word.write(letter);
                continue;
            }
            char escaped = request.charAt(at++);
            switch (escaped) {
                case 'n' -> word.write('\n');
                case 'r' -> word.write('\r');
                case 'x' -> {
                    word.write(Integer.parseInt(request.substring(at, at + 2), 16));
                    at += 2;
                }
                default -> word.write(escaped);
            }
        }
        return at + 1;
    }
}
