package io.tallis.transcript;

import io.tallis.command.Client;
import io.tallis.command.Reply;
import io.tallis.keyspace.Score;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/// A reply rendered as redis-cli prints it. Detects incomplete replies.
final class PrintedReply implements Reply {
    private final Supplier<Client> client;
    private final Deque<Open> open = new ArrayDeque<>();
    private final List<String> lines = new ArrayList<>();
    private int answers;

    PrintedReply(Supplier<Client> client) {
        this.client = client;
    }

    /// An aggregate that is not complete.
    private static final class Open {
        final char kind;
        final int wanted;
        final List<List<String>> elements = new ArrayList<>();

        Open(char kind, int wanted) {
            this.kind = kind;
            this.wanted = wanted;
        }

        boolean isWhole() {
            return elements.size() == wanted;
        }

        List<String> lines() {
            List<String> lines = new ArrayList<>();
            int entries = kind == '#' ? wanted / 2 : wanted;
            int width = String.valueOf(entries).length();
            for (int i = 0; i < entries; i++) {
                String head = String.format("%" + width + "d%c ", i + 1, kind);
                List<String> element = kind == '#' ? pair(2 * i) : elements.get(i);
                for (int line = 0; line < element.size(); line++) {
                    lines.add((line == 0 ? head : " ".repeat(head.length())) + element.get(line));
                }
            }
            return lines;
        }

        private List<String> pair(int key) {
            List<String> value = elements.get(key + 1);
            String name = elements.get(key).getFirst() + " => ";
            if (value.size() == 1) {
                return List.of(name + value.getFirst());
            }
            List<String> lines = new ArrayList<>(List.of(name));
            value.forEach(line -> lines.add("    " + line));
            return lines;
        }
    }

    /// What was printed since the last call.
    List<String> take() {
        if (!open.isEmpty()) {
            throw new AssertionError("an aggregate of " + open.peek().wanted + " has "
                    + open.peek().elements.size() + " elements");
        }
        List<String> taken = List.copyOf(lines);
        lines.clear();
        answers = 0;
        return taken;
    }

    /// The number of complete values since the last call.
    int answers() {
        return answers;
    }

    private void add(List<String> element) {
        Open inner = open.peek();
        if (inner == null) {
            lines.addAll(element);
            answers++;
            return;
        }
        inner.elements.add(element);
        if (inner.isWhole()) {
            open.pop();
            add(inner.lines());
        }
    }

    private void one(String line) {
        add(List.of(line));
    }

    private void aggregate(char kind, int size, String empty) {
        if (size == 0) {
            one(empty);
        } else {
            open.push(new Open(kind, size));
        }
    }

    private boolean newProtocol() {
        return client.get().protocol() == 3;
    }

    @Override
    public int protocol() {
        return newProtocol() ? 3 : 2;
    }

    @Override
    public void ok() {
        one("OK");
    }

    @Override
    public void status(String text) {
        one(text);
    }

    @Override
    public void error(String text) {
        one("(error) " + text.replace('\r', ' ').replace('\n', ' '));
    }

    @Override
    public void integer(long value) {
        one("(integer) " + value);
    }

    @Override
    public void unsigned(long value) {
        if (value >= 0) {
            integer(value);
        } else {
            unsignedDigits(value);
        }
    }

    @Override
    public void digits(long value) {
        one("\"" + value + "\"");
    }

    @Override
    public void unsignedDigits(long value) {
        one("\"" + Long.toUnsignedString(value) + "\"");
    }

    @Override
    public void decimal(double value) {
        String digits = String.format(Locale.ROOT, "%.4f", value);
        one(newProtocol() ? "(double) " + digits : "\"" + digits + "\"");
    }

    @Override
    public void score(Score score) {
        one(newProtocol() ? "(double) " + score : "\"" + score + "\"");
    }

    @Override
    public void bulk(byte[] bytes, int offset, int length) {
        String text = new String(bytes, offset, length, StandardCharsets.ISO_8859_1);
        if (text.indexOf('\n') >= 0) {
            add(text.lines().toList());
            return;
        }
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            if (letter < ' ' || letter > '~') {
                quoted.append(String.format("\\x%02x", (int) letter));
            } else {
                quoted.append(letter == '"' || letter == '\\' ? "\\" : "").append(letter);
            }
        }
        one(quoted.append('"').toString());
    }

    @Override
    public void text(String text) {
        bulk(text);
    }

    @Override
    public void nil() {
        one("(nil)");
    }

    @Override
    public void nilArray() {
        one("(nil)");
    }

    @Override
    public void array(int size) {
        aggregate(')', size, "(empty array)");
    }

    @Override
    public void map(int size) {
        if (newProtocol()) {
            aggregate('#', 2 * size, "(empty hash)");
        } else {
            array(2 * size);
        }
    }

    @Override
    public void set(int size) {
        if (newProtocol()) {
            aggregate('~', size, "(empty set)");
        } else {
            array(size);
        }
    }

    @Override
    public void push(int size) {
        aggregate(newProtocol() ? '>' : ')', size, "(empty push)");
    }
}
