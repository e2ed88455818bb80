package io.tallis.command.connection;

import io.tallis.command.Reply;
import io.tallis.keyspace.Score;
import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A reply as a tree. The kind of a node is its type character in RESP.
final class ReplyTree {
    private final char kind;
    private final String text;
    private final int wanted;
    private final List<ReplyTree> elements = new ArrayList<>();

    private ReplyTree(char kind, String text, int wanted) {
        this.kind = kind;
        this.text = text;
        this.wanted = wanted;
    }

    /// The reply to a request.
    static ReplyTree of(FakeServer server, FakeClient client, String request) {
        Growing growing = new Growing();
        server.handle(request, client.client(), growing);
        assert growing.open.size() == 1 && growing.root.elements.size() == 1;
        return growing.root.elements.getFirst();
    }

    char kind() {
        return kind;
    }

    String text() {
        return text;
    }

    List<ReplyTree> elements() {
        return elements;
    }

    Map<ReplyTree, ReplyTree> pairs() {
        Map<ReplyTree, ReplyTree> pairs = new LinkedHashMap<>();
        for (int i = 0; i < elements.size(); i += 2) {
            pairs.put(elements.get(i), elements.get(i + 1));
        }
        return pairs;
    }

    @Nullable
    ReplyTree field(String name) {
        return pairs().entrySet().stream()
                .filter(pair -> pair.getKey().text.equals(name))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(null);
    }

    /// Builds the tree while the reply is written.
    private static final class Growing implements Reply {
        private final ReplyTree root = new ReplyTree('*', "", 1);
        private final List<ReplyTree> open = new ArrayList<>(List.of(root));

        private void add(char kind, String text, int size) {
            ReplyTree node = new ReplyTree(kind, text, size);
            open.getLast().elements.add(node);
            if (size > 0) {
                open.add(node);
            }
            while (open.size() > 1 && open.getLast().elements.size() == open.getLast().wanted) {
                open.removeLast();
            }
        }

        @Override
        public int protocol() {
            return 2;
        }

        @Override
        public void ok() {
            status("OK");
        }

        @Override
        public void status(String text) {
            add('+', text, 0);
        }

        @Override
        public void error(String text) {
            add('-', text, 0);
        }

        @Override
        public void integer(long value) {
            add(':', Long.toString(value), 0);
        }

        @Override
        public void unsigned(long value) {
            add(value < 0 ? '$' : ':', Long.toUnsignedString(value), 0);
        }

        @Override
        public void digits(long value) {
            add('$', Long.toString(value), 0);
        }

        @Override
        public void unsignedDigits(long value) {
            add('$', Long.toUnsignedString(value), 0);
        }

        @Override
        public void decimal(double value) {
            add(',', Double.toString(value), 0);
        }

        @Override
        public void score(Score score) {
            add(',', score.toString(), 0);
        }

        @Override
        public void bulk(byte[] bytes, int offset, int length) {
            add('$', new String(bytes, offset, length, StandardCharsets.UTF_8), 0);
        }

        @Override
        public void text(String text) {
            bulk(text);
        }

        @Override
        public void nil() {
            add('_', "", 0);
        }

        @Override
        public void nilArray() {
            add('_', "", 0);
        }

        @Override
        public void array(int size) {
            add('*', "", size);
        }

        @Override
        public void map(int size) {
            add('%', "", 2 * size);
        }

        @Override
        public void set(int size) {
            add('~', "", size);
        }

        @Override
        public void push(int size) {
            add('>', "", size);
        }
    }
}
