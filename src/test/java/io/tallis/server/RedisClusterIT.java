package io.tallis.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.sync.RedisAdvancedClusterCommands;
import io.tallis.server.RealCluster.Stack;
import io.tallis.testing.ClusterPorts;
import io.tallis.testing.LocalServer;
import io.tallis.testing.RespSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.exceptions.JedisException;

/// Clients of Redis Cluster, with their default settings: on one node, and on three of which one is killed.
@Timeout(240)
final class RedisClusterIT {
    private static final int WORKERS = 4;
    private static final int KEYS_OF_WORKER = 100;

    @TempDir
    private Path dir;

    @Test
    void singleNode_hasAllSlots_atThatPortOnly() throws Exception {
        int port = ClusterPorts.free();
        try (var server = LocalServer.inMemory("redis-cluster-port", Integer.toString(port));
                var slots = new RespSocket(port);
                var plain = new RespSocket(server.port())) {
            String id = slots.call("CLUSTER", "MYID");

            assertThat(id).matches("[0-9a-f]{40}");
            assertThat(slots.call("CLUSTER", "SLOTS"))
                    .isEqualTo("[[0, 16383, [127.0.0.1, " + port + ", " + id + ", []]]]");
            assertThat(slots.call("CLUSTER", "NODES"))
                    .isEqualTo(id + " 127.0.0.1:" + port + "@0 myself,master - 0 0 1 connected 0-16383\n");
            assertThat(slots.call("CLUSTER", "SHARDS"))
                    .isEqualTo(
                            "[[slots, [0, 16383], nodes, [[id, " + id + ", port, " + port
                                    + ", ip, 127.0.0.1, endpoint, 127.0.0.1, role, master, replication-offset, 0, health, online]]]]");
            assertThat(slots.call("CLUSTER", "INFO")).contains("cluster_state:ok", "cluster_slots_assigned:16384");
            assertThat(slots.call("INFO")).contains("redis_mode:cluster", "cluster_enabled:1");
            assertThat(slots.call("HELLO")).contains("mode, cluster");
            assertThat(slots.call("CLUSTER", "MEET", "h", "1")).startsWith("-ERR CLUSTER MEET is not supported: ");
            assertThat(slots.call("READONLY") + slots.call("READWRITE") + slots.call("ASKING"))
                    .isEqualTo("OKOKOK");
            assertThat(plain.call("CLUSTER", "SLOTS")).isEqualTo("-ERR This instance has cluster support disabled");
            assertThat(plain.call("INFO")).contains("redis_mode:standalone", "cluster_enabled:0");
            assertThat(plain.call("HELLO")).contains("mode, standalone");
        }
    }

    @Test
    void keysOfSlots_areFoundWhateverTheirTags_andCommandsOnSeveralSlotsAreAnswered() throws Exception {
        int port = ClusterPorts.free();
        try (var server = LocalServer.inMemory("redis-cluster-port", Integer.toString(port));
                var slots = new RespSocket(port)) {
            assertThat(server.port()).isPositive();
            assertThat(slots.call("MSET", "{tag}a", "1", "{tag}b", "2", "other", "3"))
                    .isEqualTo("OK");
            String slot = slots.call("CLUSTER", "KEYSLOT", "tag");

            assertThat(slots.call("CLUSTER", "KEYSLOT", "x{tag}y")).isEqualTo(slot);
            assertThat(slots.call("CLUSTER", "COUNTKEYSINSLOT", slot)).isEqualTo("2");
            assertThat(slots.call("CLUSTER", "GETKEYSINSLOT", slot, "1")).containsAnyOf("[{tag}a]", "[{tag}b]");
            assertThat(slots.call("CLUSTER", "GETKEYSINSLOT", slot, "9")).contains("{tag}a", "{tag}b");
            assertThat(slots.call("MGET", "{tag}a", "other")).isEqualTo("[1, 3]");
            assertThat(slots.call("CLUSTER", "COUNTKEYSINSLOT", "16384")).isEqualTo("-ERR Invalid slot");
            assertThat(slots.call("CLUSTER", "GETKEYSINSLOT", slot, "-1"))
                    .isEqualTo("-ERR Invalid slot or number of keys");
        }
    }

    @Test
    void lettuceAndJedis_spreadTheirLoad_andGoOnWithinSecondsWhenANodeIsKilled() throws Exception {
        try (var cluster = RealCluster.start(dir, Stack.UDP);
                RedisClusterClient lettuce = RedisClusterClient.create(List.of(uri(cluster, 0), uri(cluster, 1)))) {
            awaitNodes(cluster, RealCluster.NODES);
            // Reads the slots once, as it is made.
            var jedis = redis.clients.jedis.RedisClusterClient.create(Set.of(address(cluster, 0), address(cluster, 1)));
            RedisAdvancedClusterCommands<String, String> commands =
                    lettuce.connect().sync();
            assertThat(lettuce.getPartitions()).hasSize(RealCluster.NODES);
            assertThat(jedis.getClusterNodes()).hasSize(RealCluster.NODES);

            try (jedis;
                    ExecutorService threads = Executors.newCachedThreadPool()) {
                List<Load> loads = IntStream.range(0, WORKERS)
                        .boxed()
                        .flatMap(worker -> List.of(
                                new Load("lettuce:" + worker, commands::incr), new Load("jedis:" + worker, jedis::incr))
                                .stream())
                        .toList();
                List<Future<Load>> running = loads.stream().map(threads::submit).toList();
                await().until(() -> loads.stream().allMatch(load -> load.counted.get() > KEYS_OF_WORKER));
                for (int node = 0; node < RealCluster.NODES; node++) {
                    assertThat(cluster.call(node, "INFO", "commandstats")).contains("cmdstat_incr:");
                }
                cluster.process(0).kill();
                awaitNodes(cluster, RealCluster.NODES - 1, 1, 2);
                loads.forEach(load -> load.goesOnFrom = load.counted.get());
                await().atMost(Duration.ofSeconds(60))
                        .until(() ->
                                loads.stream().allMatch(load -> load.counted.get() > load.goesOnFrom + KEYS_OF_WORKER));
                cluster.start(0);
                awaitNodes(cluster, RealCluster.NODES);
                loads.forEach(load -> load.ends = true);
                for (Future<Load> load : running) {
                    load.get().assertCounted(cluster);
                }
            }
        }
    }

    private static RedisURI uri(RealCluster cluster, int node) {
        return RedisURI.create("127.0.0.1", cluster.slotsPort(node));
    }

    private static HostAndPort address(RealCluster cluster, int node) {
        return new HostAndPort("127.0.0.1", cluster.slotsPort(node));
    }

    /// Waits until nodes agree that so many have slots.
    private static void awaitNodes(RealCluster cluster, int count, int... where) {
        int[] asked = where.length == 0 ? IntStream.range(0, RealCluster.NODES).toArray() : where;
        await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
            for (int node : asked) {
                try (var slots = new RespSocket(cluster.slotsPort(node))) {
                    assertThat(slots.call("CLUSTER", "INFO")).contains("cluster_size:" + count + "\r\n");
                }
            }
        });
    }

    /// Increments some keys in turn until it is told to end.
    private static final class Load implements Callable<Load> {
        private final String prefix;
        private final Increment increment;
        private volatile boolean ends;
        private final AtomicInteger counted = new AtomicInteger();
        private volatile int goesOnFrom;
        private int unknown;

        interface Increment {
            Long one(String key);
        }

        Load(String prefix, Increment increment) {
            this.prefix = prefix;
            this.increment = increment;
        }

        @Override
        public Load call() {
            for (int i = 0; !ends; i++) {
                try {
                    var _ = increment.one(key(i));
                    counted.incrementAndGet();
                } catch (RedisException | JedisException _) {
                    unknown++;
                }
            }
            return this;
        }

        private String key(int number) {
            return prefix + ":" + number % KEYS_OF_WORKER;
        }

        /// One command may have counted on the node that was killed, and again where the client sent it again.
        void assertCounted(RealCluster cluster) {
            String[] words = new String[KEYS_OF_WORKER + 1];
            words[0] = "MGET";
            IntStream.range(0, KEYS_OF_WORKER).forEach(i -> words[i + 1] = key(i));
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                for (int node = 0; node < RealCluster.NODES; node++) {
                    assertThat(sum(cluster.call(node, words)))
                            .as(prefix + " on node " + node)
                            .isBetween(counted.get(), counted.get() + unknown + 1);
                }
            });
        }

        private static int sum(String values) {
            String[] numbers = values.substring(1, values.length() - 1).split(", ", -1);
            return List.of(numbers).stream().mapToInt(Integer::parseInt).sum();
        }
    }
}
