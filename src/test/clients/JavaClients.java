import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.redisson.Redisson;
import org.redisson.api.RAtomicLong;
import org.redisson.api.RLock;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.slf4j.LoggerFactory;
import org.springframework.cloud.gateway.filter.ratelimit.RedisRateLimiter;
import org.springframework.cloud.gateway.support.ConfigurationService;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.core.script.RedisScript;
import org.springframework.data.redis.support.atomic.RedisAtomicLong;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Transaction;

/// Lettuce, Jedis, Redisson, Spring Data Redis and Spring Cloud Gateway: what their users do with counters, at the
/// nodes whose ports `TALLIS_PORTS` has.
final class JavaClients {
    private static final int CLIENTS = 2; // at each node
    private static final int HITS = 100;
    private static final int LIMIT = 20;
    private static final int SECONDS = 600;
    private static final String ADD = "local n = redis.call('INCRBY', KEYS[1], ARGV[1])"
            + " redis.call('EXPIRE', KEYS[1], ARGV[2]) return n";

    private static final int[] PORTS =
            Arrays.stream(System.getenv("TALLIS_PORTS").split(" ")).mapToInt(Integer::parseInt).toArray();
    private static final long OTHERS = Arrays.stream(PORTS).distinct().count() - 1;
    private static final long TOTAL = 5L * HITS * CLIENTS * PORTS.length;

    /// Besides those of the software under test.
    private static final List<Jedis> NODES = new ArrayList<>();

    private static boolean isWrong;

    public static void main(String[] args) {
        ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.OFF);
        for (int port : PORTS) {
            NODES.add(new Jedis("127.0.0.1", port));
        }
        lettuce();
        jedis();
        redisson();
        spring();
        springCloudGateway();
        System.exit(isWrong ? 1 : 0);
    }

    private static void lettuce() {
        RedisClient client = RedisClient.create();
        Client lettuce = new Client("Lettuce", version("io.lettuce", "lettuce-core").replace(".RELEASE", ""));
        List<StatefulRedisConnection<String, String>> connections = new ArrayList<>();
        for (int port : PORTS) {
            connections.add(client.connect(RedisURI.create("127.0.0.1", port)));
        }
        lettuce.counts("counters", Jedis::get, key -> atOnce(node -> {
            List<RedisFuture<?>> replies = new ArrayList<>();
            for (int i = 0; i < HITS; i++) {
                replies.add(connections.get(node).async().incrby(key, 6));
                replies.add(connections.get(node).async().decr(key));
            }
            LettuceFutures.awaitAll(10, TimeUnit.SECONDS, replies.toArray(RedisFuture[]::new));
        }));
        lettuce.counts("transactions", Jedis::get, key -> atOnce(node -> {
            try (var own = client.connect(RedisURI.create("127.0.0.1", PORTS[node]))) {
                for (int i = 0; i < HITS; i++) {
                    own.sync().multi();
                    own.sync().incrby(key, 5);
                    own.sync().expire(key, SECONDS);
                    own.sync().exec();
                }
            }
        }));
        lettuce.counts("scripts", Jedis::get, key -> {
            String digest = null;
            for (var connection : connections) {
                digest = connection.sync().scriptLoad(ADD);
            }
            String sha = digest;
            atOnce(node -> {
                for (int i = 0; i < HITS; i++) {
                    connections.get(node).sync().evalsha(
                            sha, ScriptOutputType.INTEGER, new String[] {key}, "5", Integer.toString(SECONDS));
                }
            });
        });
        lettuce.counts("hashes", JavaClients::field, key -> atOnce(node -> {
            for (int i = 0; i < HITS; i++) {
                connections.get(node).sync().hincrby(key, "a field", 5);
            }
        }));
        lettuce.check("lists", () -> new Object[] {1L, connections.getFirst().sync().lpush(fresh("list"), "1")});
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }

    private static void jedis() {
        Client jedis = new Client("Jedis", version("redis.clients", "jedis"));
        jedis.counts("counters", Jedis::get, key -> withJedis(client -> {
            Pipeline pipeline = client.pipelined();
            pipeline.incrBy(key, 6);
            pipeline.decr(key);
            pipeline.syncAndReturnAll().forEach(JavaClients::throwIfError);
        }));
        jedis.counts("transactions", Jedis::get, key -> withJedis(client -> {
            Transaction transaction = client.multi();
            transaction.incrBy(key, 5);
            transaction.expire(key, SECONDS);
            transaction.exec();
        }));
        jedis.counts("scripts", Jedis::get, key -> withJedis(
                client -> client.eval(ADD, List.of(key), List.of("5", Integer.toString(SECONDS)))));
        jedis.counts("hashes", JavaClients::field, key -> withJedis(client -> client.hincrBy(key, "a field", 5)));
        jedis.check("lists", () -> new Object[] {1L, NODES.getFirst().lpush(fresh("list"), "1")});
    }

    private static void redisson() {
        Client redisson = new Client("Redisson", version("org.redisson", "redisson"));
        List<RedissonClient> clients = new ArrayList<>();
        for (int port : PORTS) {
            var config = new org.redisson.config.Config();
            config.useSingleServer()
                    .setAddress("redis://127.0.0.1:" + port)
                    .setConnectionPoolSize(4)
                    .setConnectionMinimumIdleSize(1)
                    .setSubscriptionConnectionMinimumIdleSize(1);
            clients.add(Redisson.create(config));
        }
        redisson.counts("`RAtomicLong`", Jedis::get, key -> atOnce(node -> {
            RAtomicLong counter = clients.get(node).getAtomicLong(key);
            for (int i = 0; i < HITS; i++) {
                counter.incrementAndGet();
                counter.addAndGet(5);
                counter.getAndDecrement();
            }
        }));
        redisson.counts("`RAtomicLong.compareAndSet` of one node's clients", Jedis::get, key -> {
            atOnce(_ -> {
                RAtomicLong counter = clients.getFirst().getAtomicLong(key);
                for (int i = 0; i < HITS; i++) {
                    long before;
                    do {
                        before = counter.get();
                    } while (!counter.compareAndSet(before, before + 5));
                }
            });
        });
        // A sum is asked for by publish and subscribe, which reaches the clients of one node.
        redisson.check("`RLongAdder` of one node's clients", () -> {
            String key = fresh("adder");
            var adders = Arrays.stream(PORTS)
                    .mapToObj(_ -> clients.getFirst().getLongAdder(key))
                    .toList();
            atOnce(node -> {
                for (int i = 0; i < HITS; i++) {
                    adders.get(node).add(5);
                }
            });
            long sum = adders.getFirst().sum();
            adders.forEach(adder -> adder.destroy());
            return new Object[] {TOTAL, sum};
        });
        redisson.check("`RLock` of one node's clients", () -> {
            String key = fresh("lock");
            List<String> held = Collections.synchronizedList(new ArrayList<>());
            atOnce(_ -> {
                RLock lock = clients.getFirst().getLock(key);
                for (int i = 0; i < 5; i++) {
                    lock.lock();
                    held.add("in");
                    held.add("out");
                    lock.unlock();
                }
            });
            long alternations = 0;
            for (int i = 0; i < held.size(); i++) {
                alternations += held.get(i).equals(i % 2 == 0 ? "in" : "out") ? 1 : 0;
            }
            return new Object[] {10L * CLIENTS * PORTS.length, alternations};
        });
        redisson.check("`RRateLimiter`", () -> {
            var limiter = clients.getFirst().getRateLimiter(fresh("limiter"));
            limiter.trySetRate(RateType.OVERALL, LIMIT, Duration.ofMinutes(10));
            return new Object[] {true, limiter.tryAcquire()};
        });
        redisson.check("lists", () -> new Object[] {true, clients.getFirst().getList(fresh("list")).add("1")});
        clients.forEach(client -> client.shutdown(0, 1, TimeUnit.SECONDS));
    }

    private static void spring() {
        Client spring = new Client("Spring Data Redis", version("org.springframework.data", "spring-data-redis"));
        List<LettuceConnectionFactory> factories = factories();
        List<StringRedisTemplate> templates = factories.stream().map(StringRedisTemplate::new).toList();
        spring.counts("`RedisAtomicLong`", Jedis::get, key -> atOnce(node -> {
            var counter = new RedisAtomicLong(key, factories.get(node));
            for (int i = 0; i < HITS; i++) {
                counter.addAndGet(6);
                counter.decrementAndGet();
            }
        }));
        spring.counts("`opsForValue().increment`", Jedis::get, key -> atOnce(node -> {
            for (int i = 0; i < HITS; i++) {
                templates.get(node).opsForValue().increment(key, 5);
            }
        }));
        spring.counts("scripts", Jedis::get, key -> atOnce(node -> {
            RedisScript<Long> script = RedisScript.of(ADD, Long.class);
            for (int i = 0; i < HITS; i++) {
                templates.get(node).execute(script, List.of(key), "5", Integer.toString(SECONDS));
            }
        }));
        spring.counts("hashes", JavaClients::field, key -> atOnce(node -> {
            for (int i = 0; i < HITS; i++) {
                templates.get(node).opsForHash().increment(key, "a field", 5);
            }
        }));
        spring.check("lists", () -> new Object[] {1L, templates.getFirst().opsForList().leftPush(fresh("list"), "1")});
        factories.forEach(LettuceConnectionFactory::destroy);
    }

    /// Requests of 300 tokens from a bucket of 6,000, to which a second adds one: 20 are admitted.
    private static void springCloudGateway() {
        Client gateway = new Client(
                "Spring Cloud Gateway `RedisRateLimiter`", version("org.springframework.cloud", "spring-cloud-gateway-server-webflux"));
        var script = new DefaultRedisScript<List<Long>>();
        script.setLocation(new ClassPathResource("META-INF/scripts/request_rate_limiter.lua"));
        @SuppressWarnings({"unchecked", "rawtypes"})
        Class<List<Long>> type = (Class) List.class;
        script.setResultType(type);
        List<LettuceConnectionFactory> factories = factories();
        List<RedisRateLimiter> limiters = new ArrayList<>();
        for (LettuceConnectionFactory factory : factories) {
            var limiter = new RedisRateLimiter(
                    new ReactiveStringRedisTemplate(factory),
                    script,
                    new ConfigurationService(null, () -> null, () -> null));
            limiter.getConfig()
                    .put(
                            "route",
                            new RedisRateLimiter.Config()
                                    .setReplenishRate(1)
                                    .setBurstCapacity(300 * LIMIT)
                                    .setRequestedTokens(300));
            limiters.add(limiter);
        }
        gateway.check("limits", () -> {
            String user = fresh("user");
            long admitted = 0;
            for (int i = 0; i < 2 * LIMIT; i++) {
                admitted += isAllowed(limiters.get(i % PORTS.length), user) ? 1 : 0;
                settle();
            }
            return new Object[] {(long) LIMIT, admitted};
        });
        gateway.check("limits at once of one node's clients", () -> {
            String user = fresh("user");
            List<Boolean> admitted = Collections.synchronizedList(new ArrayList<>());
            atOnce(_ -> {
                for (int i = 0; i < HITS; i++) {
                    admitted.add(isAllowed(limiters.getFirst(), user));
                }
            });
            return new Object[] {(long) LIMIT, admitted.stream().filter(one -> one).count()};
        });
        factories.forEach(LettuceConnectionFactory::destroy);
    }

    /// On an error the gateway admits, with -1 remaining.
    private static boolean isAllowed(RedisRateLimiter limiter, String user) {
        var response = limiter.isAllowed("route", user).block(Duration.ofSeconds(10));
        if (response.getHeaders().get(RedisRateLimiter.REMAINING_HEADER).equals("-1")) {
            throw new IllegalStateException("the gateway got an error, and admitted the request");
        }
        return response.isAllowed();
    }

    private static List<LettuceConnectionFactory> factories() {
        List<LettuceConnectionFactory> factories = new ArrayList<>();
        for (int port : PORTS) {
            var factory = new LettuceConnectionFactory("127.0.0.1", port);
            factory.afterPropertiesSet();
            factory.start();
            factories.add(factory);
        }
        return factories;
    }

    private record Client(String name, String release) {
        /// Work makes the key have five times the number of hits on each node.
        void counts(String what, BiFunction<Jedis, String, String> read, ThrowingConsumer<String> work) {
            check(what, () -> {
                String key = fresh("counts");
                work.accept(key);
                settle();
                NODES.getLast().expire(key, SECONDS);
                settle();
                List<String> found = new ArrayList<>();
                for (Jedis node : NODES) {
                    long left = node.ttl(key);
                    found.add(read.apply(node, key) + " " + (left > SECONDS - 60 && left <= SECONDS));
                }
                return new Object[] {Collections.nCopies(PORTS.length, TOTAL + " true"), found};
            });
        }

        /// Work returns what was expected, and what was found, within 30 seconds. A server's error is a refusal.
        void check(String what, Callable<Object[]> work) {
            ExecutorService executor = Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
            try {
                Object[] result = executor.submit(work).get(30, TimeUnit.SECONDS);
                String verdict = result[0].equals(result[1]) ? "works" : "wrong";
                report(verdict, what, "expected " + result[0], "found " + result[1]);
            } catch (Exception e) {
                String text = deepest(e).toString();
                report(text.contains("ERR ") ? "refused" : "wrong", what, text, "");
            }
            executor.shutdownNow();
        }

        private void report(String verdict, String what, String... details) {
            isWrong |= verdict.equals("wrong");
            System.out.println(
                    String.join("\t", verdict, name, release, what, String.join("\t", details).replace('\n', ' ')));
        }
    }

    private interface ThrowingConsumer<T> {
        void accept(T argument) throws Exception;
    }

    private interface NodeWork {
        void run(int node) throws Exception;
    }

    private interface JedisWork {
        void run(Jedis client);
    }

    private static void withJedis(JedisWork work) throws Exception {
        atOnce(node -> {
            try (Jedis client = new Jedis("127.0.0.1", PORTS[node])) {
                for (int i = 0; i < HITS; i++) {
                    work.run(client);
                }
            }
        });
    }

    /// Runs work with the index of a node, in several threads for each node.
    private static void atOnce(NodeWork work) throws Exception {
        List<Callable<Void>> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS * PORTS.length; i++) {
            int node = i % PORTS.length;
            clients.add(() -> {
                work.run(node);
                return null;
            });
        }
        try (ExecutorService executor = Executors.newFixedThreadPool(clients.size())) {
            for (Future<Void> client : executor.invokeAll(clients)) {
                client.get();
            }
        }
    }

    private static void settle() {
        for (Jedis node : NODES) {
            if (node.waitReplicas((int) OTHERS, 10_000) != OTHERS) {
                throw new IllegalStateException("nodes did not meet");
            }
        }
    }

    private static String field(Jedis node, String key) {
        return node.hget(key, "a field");
    }

    private static String fresh(String name) {
        return name + ":" + Long.toString(ThreadLocalRandom.current().nextLong(Long.MAX_VALUE), 36);
    }

    private static void throwIfError(Object reply) {
        if (reply instanceof RuntimeException e) {
            throw e;
        }
    }

    private static Throwable deepest(Throwable e) {
        return e.getCause() == null ? e : deepest(e.getCause());
    }

    private static String version(String group, String artifact) {
        Properties properties = new Properties();
        String name = "/META-INF/maven/" + group + "/" + artifact + "/pom.properties";
        try (InputStream in = JavaClients.class.getResourceAsStream(name)) {
            properties.load(in);
        } catch (IOException | NullPointerException e) {
            return "?";
        }
        return properties.getProperty("version");
    }
}
