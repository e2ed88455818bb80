package io.tallis.chaos;

import io.tallis.chaos.Window.Read;
import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Checks counters with deadlines on all nodes, while no request is in flight and no fault in force.
final class WindowChecker {
    /// Digests leave out what ends soon, so nodes that agree by digest may yet differ in windows.
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private static final long BETWEEN_LOOKS_MILLIS = 50;
    private static final int READ_AT_A_TIME = 500;
    private static final int MOST_SHOWN = 10;

    private final List<ChaosNode> nodes;
    private final Windows windows;
    private final RunLog log;

    WindowChecker(List<ChaosNode> nodes, Windows windows, RunLog log) {
        this.nodes = nodes;
        this.windows = windows;
        this.log = log;
    }

    /// Checks that within the timeout all nodes show what is whole, and none what is gone.
    void check() throws IOException, InterruptedException {
        List<Window> all = windows.all();
        long begin = System.nanoTime();
        List<String> wrong = look(all);
        while (!wrong.isEmpty() && System.nanoTime() - begin < TIMEOUT.toNanos()) {
            TimeUnit.MILLISECONDS.sleep(BETWEEN_LOOKS_MILLIS);
            wrong = look(all);
        }
        wrong.stream().limit(MOST_SHOWN).forEach(log::fail);
        long now = System.currentTimeMillis();
        log.print(all.size() + " windows, "
                + all.stream().filter(window -> window.isWhole(now)).count() + " of them whole, are right after "
                + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin) + " ms");
    }

    /// Waits until all are to be gone, and checks that they are.
    void checkThatAllEnd() throws IOException, InterruptedException {
        long last = windows.all().stream().mapToLong(Window::goneFrom).max().orElse(0);
        TimeUnit.MILLISECONDS.sleep(Math.max(0, last - System.currentTimeMillis()));
        check();
    }

    /// What is wrong at present.
    private List<String> look(List<Window> all) throws IOException {
        List<List<Answer>> answers = new ArrayList<>();
        for (ChaosNode node : nodes) {
            answers.add(read(node, all));
        }
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            int place = i;
            look(all.get(i), answers.stream().map(node -> node.get(place)).toList())
                    .ifPresent(wrong::add);
        }
        return wrong;
    }

    /// What a node answered at `time`.
    private record Answer(ChaosNode node, Optional<Read> read, long time, String reply) {}

    private static List<Answer> read(ChaosNode node, List<Window> all) throws IOException {
        List<Answer> answers = new ArrayList<>();
        try (RespSocket socket = node.connect()) {
            for (int from = 0; from < all.size(); from += READ_AT_A_TIME) {
                List<Window> some = all.subList(from, Math.min(all.size(), from + READ_AT_A_TIME));
                long sent = System.currentTimeMillis();
                List<Optional<Read>> reads =
                        some.stream().map(window -> window.reads(sent)).toList();
                some.forEach(window -> socket.add("GET", window.plan().key()));
                socket.flush();
                List<String> replies = new ArrayList<>();
                for (Window window : some) {
                    replies.add(socket.read());
                    window.hasRead();
                }
                long answered = System.currentTimeMillis();
                for (int i = 0; i < some.size(); i++) {
                    answers.add(new Answer(node, reads.get(i), answered, replies.get(i)));
                }
            }
        }
        return answers;
    }

    /// What is wrong with one, of which these are the answers of all nodes. Otherwise its value is known from now on.
    private static Optional<String> look(Window window, List<Answer> answers) {
        for (Answer answer : answers) {
            Optional<String> wrong = answer.read.flatMap(read -> window.checkAgreed(read, answer.time, answer.reply));
            if (wrong.isPresent()) {
                return wrong.map(text -> text + ", on " + answer.node);
            }
        }
        if (window.isWhole(answers.getLast().time)) {
            if (answers.stream().map(Answer::reply).distinct().count() > 1) {
                return Optional.of(window.plan().key() + " differs: "
                        + answers.stream()
                                .map(answer -> answer.node + " " + answer.reply)
                                .toList());
            }
            window.settle(Histories.value(answers.getFirst().reply));
        }
        return Optional.empty();
    }
}
