package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.LocalServer;
import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The fields of `INFO`, `MEMORY STATS` and `CLIENT LIST` that Redis has and exporters read exist here too, in the same
/// order, except those that are left out for a stated reason.
final class RedisFieldsIT {
    @TempDir
    Path dir;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void infoEverything_hasTheSectionsAndFieldsOfRedis(boolean onDisk) throws IOException {
        try (LocalServer server = onDisk ? LocalServer.in(dir) : LocalServer.inMemory();
                RespSocket socket = new RespSocket(server.port())) {
            Map<String, List<String>> ours = sections(socket.call("INFO", "everything"));
            Map<String, List<String>> redis = sections(resource("redis-7.0-info.txt"));

            assertThat(ours.keySet()).containsSubsequence(redis.keySet());
            for (Map.Entry<String, List<String>> section : redis.entrySet()) {
                List<String> shared = new ArrayList<>(ours.get(section.getKey()));
                shared.retainAll(section.getValue());
                assertThat(shared).isEqualTo(toldHere(section.getValue()));
            }
            assertThat(ours.values().stream().flatMap(List::stream))
                    .doesNotHaveDuplicates()
                    .doesNotContainAnyElementsOf(leftOut());
        }
    }

    @Test
    void info_ofNoSection_hasThoseThatRedisShowsByDefault() throws IOException {
        try (LocalServer server = LocalServer.inMemory();
                RespSocket socket = new RespSocket(server.port())) {
            assertThat(sections(socket.call("INFO")).keySet())
                    .containsExactly(
                            "Server",
                            "Clients",
                            "Memory",
                            "Persistence",
                            "Stats",
                            "Replication",
                            "CPU",
                            "Modules",
                            "Errorstats",
                            "Cluster",
                            "Keyspace",
                            "Tallis");
        }
    }

    @Test
    void memoryStats_hasTheFieldsOfRedis() throws IOException {
        try (LocalServer server = LocalServer.inMemory();
                RespSocket socket = new RespSocket(server.port())) {
            socket.call("INCR", "a");

            String answer = socket.call("MEMORY", "STATS");

            List<String> fields = resource("redis-7.0-memory-stats.txt").stream()
                    .map(field -> field.substring(field.indexOf('/') + 1))
                    .toList();
            assertThat(answer).containsSubsequence(toldHere(fields));
        }
    }

    @Test
    void clientList_hasTheFieldsOfRedis() throws IOException {
        try (LocalServer server = LocalServer.inMemory();
                RespSocket socket = new RespSocket(server.port())) {
            List<String> ours = Stream.of(socket.call("CLIENT", "LIST").split(" ", -1))
                    .map(field -> field.substring(0, field.indexOf('=')))
                    .toList();

            assertThat(ours).containsSubsequence(resource("redis-7.0-client-list.txt"));
        }
    }

    private static List<String> toldHere(List<String> fields) throws IOException {
        List<String> told = new ArrayList<>(fields);
        told.removeAll(leftOut());
        return told;
    }

    private static List<String> leftOut() throws IOException {
        return resource("redis-7.0-left-out.txt").stream()
                .map(line -> line.substring(0, line.indexOf(": ")))
                .toList();
    }

    /// The lines without comments.
    private static List<String> resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(RedisFieldsIT.class.getResourceAsStream(name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .toList();
        }
    }

    private static Map<String, List<String>> sections(String info) {
        return sections(info.lines().toList());
    }

    /// Names of fields by the title of their section.
    private static Map<String, List<String>> sections(List<String> lines) {
        Map<String, List<String>> sections = new LinkedHashMap<>();
        List<String> fields = new ArrayList<>();
        for (String line : lines) {
            if (line.startsWith("# ") || line.startsWith("[")) {
                fields = new ArrayList<>();
                sections.put(line.replaceAll("[\\[\\]# ]", ""), fields);
            } else if (!line.isEmpty()) {
                fields.add(line.split(":", 2)[0]);
            }
        }
        return sections;
    }
}
