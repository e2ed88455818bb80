package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.command.facts.CommandFacts;
import io.tallis.command.facts.CommandSpec;
import io.tallis.testing.LocalServer;
import io.tallis.testing.RespSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Transactions of several event loops.
final class TransactionsIT {
    private static final int CLIENTS = 4;
    private static final int ROUNDS = 25;

    /// Commands that end or change the connection or the process, or block.
    private static final Set<String> LEFT_OUT = Set.of(
            "multi",
            "exec",
            "discard",
            "watch",
            "unwatch",
            "quit",
            "reset",
            "hello",
            "auth",
            "monitor",
            "shutdown",
            "client|kill",
            "client|pause",
            "client|reply",
            "client|unblock",
            "config|set",
            "debug|panic",
            "debug|sleep",
            "flushall",
            "flushdb");

    /// A command that locks partitions of keys which it does not name deadlocks with a transaction that holds others.
    @Test
    @Timeout(300)
    void anyCommand_inTransactionsOfSeveralLoops_doesNotDeadlock() throws Exception {
        List<String[]> commands = commandsForTransactions();
        try (LocalServer server = LocalServer.inMemory("io-threads", "2", "enable-debug-command", "yes");
                ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Callable<Void>> clients = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                String key = "key:" + client;
                clients.add(() -> run(server.port(), key, commands));
            }
            for (Future<Void> client : threads.invokeAll(clients)) {
                client.get();
            }

            try (RespSocket socket = new RespSocket(server.port())) {
                for (int client = 0; client < CLIENTS; client++) {
                    assertThat(socket.call("GET", "key:" + client))
                            .isEqualTo(Integer.toString(ROUNDS * commands.size()));
                }
            }
        }
    }

    private static Void run(int port, String key, List<String[]> commands) throws Exception {
        try (RespSocket socket = new RespSocket(port)) {
            for (int round = 0; round < ROUNDS; round++) {
                for (String[] command : commands) {
                    socket.call("MULTI");
                    socket.call("INCR", key);
                    assertThat(socket.call(command)).isEqualTo("QUEUED");
                    assertThat(socket.call("EXEC")).startsWith("[");
                }
            }
        }
        return null;
    }

    private static List<String[]> commandsForTransactions() throws Exception {
        List<String[]> commands = new ArrayList<>();
        try (LocalServer server = LocalServer.inMemory();
                RespSocket socket = new RespSocket(server.port())) {
            for (CommandSpec spec : CommandFacts.load().all()) {
                if (!LEFT_OUT.contains(spec.fullName())) {
                    String[] words = wordsOf(spec);
                    socket.call("MULTI");
                    if (socket.call(words).equals("QUEUED")) {
                        commands.add(words);
                    }
                    socket.call("DISCARD");
                }
            }
        }
        assertThat(commands).hasSizeGreaterThan(50);
        return commands;
    }

    private static String[] wordsOf(CommandSpec spec) {
        List<String> words = new ArrayList<>(List.of(spec.fullName().split("\\|")));
        while (words.size() < Math.abs(spec.arity())) {
            words.add("1");
        }
        return words.toArray(String[]::new);
    }
}
