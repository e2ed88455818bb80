package io.tallis.chaos;

import io.tallis.chaos.Window.Change;
import io.tallis.chaos.Window.Deadline;
import io.tallis.chaos.Window.Read;
import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/// A client that uses counters with deadlines, as rate limits do, in several ways, and reads them until long after
/// their end.
final class WindowClient extends VisitingClient {
    private static final int MOST_AMOUNT = 100;

    private final Windows windows;

    /// Those to which this node has acknowledged a change with a deadline on this connection.
    private final Set<Window> dated = new HashSet<>();

    /// That of the node.
    private Directory directory = Directory.NONE;

    WindowClient(List<ChaosNode> nodes, Windows windows, RunLog log, SplittableRandom random) {
        super(nodes, log, random);
        this.windows = windows;
    }

    @Override
    void connected(ChaosNode node) {
        dated.clear();
        directory = node.directory();
    }

    @Override
    boolean batch(ChaosNode node, RespSocket socket) throws IOException {
        long now = System.currentTimeMillis();
        Window window = windows.pick(random, now);
        if (window.begin()) {
            return change(node, socket, window, true);
        }
        boolean changes = window.isOpen(now) && random.nextInt(4) > 0;
        return changes ? change(node, socket, window, false) : read(node, socket, window);
    }

    private boolean read(ChaosNode node, RespSocket socket, Window window) throws IOException {
        Optional<Read> read = window.reads(System.currentTimeMillis());
        if (read.isEmpty()) {
            return true;
        }
        try {
            String reply = socket.call("GET", window.plan().key());
            if (isError(reply)) {
                requireLoading(node, reply);
                return false;
            }
            window.check(read.get(), reply).ifPresent(wrong -> log.fail(wrong + ", on " + node));
            return true;
        } finally {
            window.hasRead();
        }
    }

    private boolean change(ChaosNode node, RespSocket socket, Window window, boolean first) throws IOException {
        boolean keeps = dated.contains(window) && random.nextInt(3) == 0;
        long amount = random.nextLong(1, MOST_AMOUNT + 1);
        var change = new Change(
                amount,
                keeps ? Optional.empty() : Optional.of(deadline(window)),
                !keeps && window.plan().splits());
        List<String[]> commands = commands(window, change, first);
        window.sent(change, node, System.currentTimeMillis());
        List<String> replies = new ArrayList<>();
        try {
            commands.forEach(socket::add);
            socket.flush();
            for (int i = 0; i < commands.size(); i++) {
                replies.add(socket.read());
            }
        } catch (IOException broken) {
            window.unanswered(change, System.currentTimeMillis());
            throw broken;
        }
        return answered(node, window, change, replies);
    }

    private boolean answered(ChaosNode node, Window window, Change change, List<String> replies) {
        Optional<String> error =
                replies.stream().filter(VisitingClient::isError).findFirst();
        if (error.isPresent()) {
            window.refused(change, System.currentTimeMillis());
            requireLoading(node, error.get());
            return false;
        }
        window.acknowledged(change, directory, System.currentTimeMillis());
        if (change.deadline().isPresent()) {
            dated.add(window);
        }
        return true;
    }

    private Deadline deadline(Window window) {
        long length = window.plan().lengthMillis();
        long millis = length + random.nextLong(length / 4 + 1);
        boolean isTime = random.nextInt(3) == 0;
        return new Deadline(isTime, isTime ? System.currentTimeMillis() + millis : millis);
    }

    private List<String[]> commands(Window window, Change change, boolean first) {
        String key = window.plan().key();
        String amount = Long.toString(change.amount());
        if (change.deadline().isEmpty()) {
            return List.<String[]>of(new String[] {"INCRBY", key, amount});
        }
        Deadline deadline = change.deadline().get();
        String unit = deadline.isTime() ? "PXAT" : "PX";
        String millis = Long.toString(deadline.millis());
        if (change.isSplit()) {
            return List.of(
                    new String[] {"INCRBY", key, amount},
                    new String[] {deadline.isTime() ? "PEXPIREAT" : "PEXPIRE", key, millis});
        }
        if (first && random.nextBoolean()) {
            return List.<String[]>of(new String[] {"SET", key, amount, unit, millis});
        }
        return List.<String[]>of(
                random.nextBoolean()
                        ? new String[] {"INCREX", key, "BYINT", amount, unit, millis, "ENX"}
                        : new String[] {"INCREX", key, "BYINT", amount, unit, millis});
    }
}
