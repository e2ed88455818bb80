package io.tallis.watch;

import static io.tallis.crdt.CounterType.PNCOUNT;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.crdt.Life;
import io.tallis.crdt.ReplicaId;
import io.tallis.crdt.Replicas;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.Merges;
import io.tallis.keyspace.Sweeper;
import io.tallis.testing.FakeClock;
import io.tallis.testing.Gen;
import io.tallis.testing.Property;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// What those who watch are told. The test plays the thread and the event loop.
final class WatchingTest {
    private static final Duration ROUND = Duration.ofMillis(100);

    private final FakeClock clock = new FakeClock();

    /// How long it takes to encode a reading, and to send events to a connection.
    private Duration encoding = Duration.ZERO;

    private Duration sending = Duration.ZERO;
    private final Keyspace keyspace = keyspace(1, clock);
    private final Counters counters = new Counters(keyspace, ChangeLog.NONE);
    private final Sweeper sweeper = new Sweeper(keyspace);
    private final Watching watching = new Watching(keyspace, id -> "node-" + id.low(), new TextFormat(), clock);

    private static Keyspace keyspace(int replica, FakeClock clock) {
        SplittableRandom random = new SplittableRandom(replica);
        return new Keyspace(new Replicas(new ReplicaId(replica, replica)), random::nextLong, clock::epochMillis);
    }

    private static Key key(String name) {
        return Key.of(bytes(name));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Topic prefix(String prefix) {
        return Topic.prefix("pncount", false, bytes(prefix));
    }

    private static Topic names(String... names) {
        List<byte[]> all = new ArrayList<>();
        for (String name : names) {
            all.add(bytes(name));
        }
        return Topic.names("pncount", false, all);
    }

    private Client watch(Topic topic) {
        var client = new Client();
        client.watcher = watching.watch(topic, client);
        return client;
    }

    private void round() {
        watching.round();
        clock.advance(ROUND);
    }

    /// Writes events as words.
    private final class TextFormat implements Watching.Format {
        @Override
        public void reading(Reading reading, ByteArrayOutputStream out) {
            clock.advance(encoding);
            String contributions = reading.contributions() == null
                    ? ""
                    : reading.contributions().toString();
            String value = reading.exists() ? String.valueOf(reading.value()) : "gone";
            out.writeBytes(bytes(reading.name() + "=" + value + contributions + " "));
        }

        @Override
        public byte[] complete() {
            return bytes("complete ");
        }

        @Override
        public byte[] missed() {
            return bytes("missed ");
        }

        @Override
        public byte[] nothing() {
            return bytes("nothing ");
        }
    }

    private final class Client implements Watching.Subscriber {
        private Watcher watcher;
        private boolean writable = true;
        private final StringBuilder told = new StringBuilder();

        @Override
        public Executor loop() {
            return Runnable::run;
        }

        @Override
        public boolean isWritable() {
            return writable;
        }

        @Override
        public void send(List<byte[]> events) {
            clock.advance(sending);
            events.forEach(event -> told.append(new String(event, StandardCharsets.UTF_8)));
        }

        /// What it was told since the last call.
        String told() {
            String all = told.toString().strip();
            told.setLength(0);
            return all;
        }
    }

    @Test
    void watcher_ofAPrefix_getsPresentValuesThenChanges() {
        counters.add(key("likes/1"), 5);
        counters.add(key("other"), 5);
        Client client = watch(prefix("likes/"));
        round();
        assertThat(client.told()).isEqualTo("likes/1=5 complete");

        counters.add(key("likes/1"), 1);
        counters.add(key("likes/1"), 1);
        counters.add(key("likes/2"), 1);
        counters.add(key("other"), 1);
        round();

        assertThat(client.told().split(" ", -1)).containsExactlyInAnyOrder("likes/1=7", "likes/2=1");
        round();
        assertThat(client.told()).isEmpty();
    }

    @Test
    void watcher_ofNames_isToldOfTheseOnly() {
        counters.add(key("a"), 5);
        Client client = watch(names("a", "b"));
        round();
        assertThat(client.told()).isEqualTo("a=5 complete");

        counters.add(key("b"), 1);
        counters.add(key("c"), 1);
        counters.grow(key("a"), 9);
        round();

        assertThat(client.told()).isEqualTo("b=1");
    }

    @Test
    void watcher_ofGCounts_isToldOfTheseOnlyAndUnsigned() {
        Client client = watch(Topic.names("gcount", false, List.of(bytes("a"))));
        round();
        client.told();

        counters.add(key("a"), 1);
        counters.grow(key("a"), Long.MAX_VALUE);
        counters.grow(key("a"), 2);
        round();

        assertThat(client.told()).isEqualTo("a=9223372036854775809");
    }

    @Test
    void rawTopic_tellsTheContributionsOfNodes() {
        Client client = watch(Topic.prefix("pncount", true, bytes("")));
        round();
        client.told();

        counters.add(key("a"), 3);
        mergeFromAnotherNode("a", -5);
        round();

        assertThat(client.told()).isEqualTo("a=-2{node-1=3, node-2=-5}");
    }

    @Test
    void rawTopic_tellsWhatWasAssigned() {
        Client client = watch(Topic.prefix("pncount", true, bytes("")));
        round();
        client.told();

        counters.assign(key("a"), 40, Counters.KEEP);
        counters.add(key("a"), 3);
        round();

        assertThat(client.told()).isEqualTo("a=43{(assigned)=40, node-1=3}");
    }

    private void mergeFromAnotherNode(String name, long amount) {
        var theirs = new Cell();
        theirs.clear(PNCOUNT);
        theirs.add(keyspace.replicas().numberOf(new ReplicaId(2, 2)), amount);
        new Merges(keyspace, ChangeLog.NONE).merge(key(name), theirs);
    }

    @Test
    void change_ofAnotherNode_isTold() {
        Client client = watch(prefix(""));
        round();
        client.told();

        mergeFromAnotherNode("a", 4);
        round();

        assertThat(client.told()).isEqualTo("a=4");
    }

    @Test
    void deletedCounter_isTold() {
        counters.add(key("a"), 5);
        Client client = watch(names("a"));
        round();
        client.told();

        counters.delete(PNCOUNT, key("a"));
        sweeper.run();
        round();

        assertThat(client.told()).isEqualTo("a=gone");
    }

    @Test
    void deletedCounterOfALoneNode_staysUntilItIsTold() {
        keyspace.expiry().alone(true);
        Client client = watch(names("a"));
        counters.add(key("a"), 5);
        round();
        client.told();

        counters.delete(PNCOUNT, key("a"));
        sweeper.run();
        clock.advance(Duration.ofSeconds(1000));
        sweeper.run();
        round();
        assertThat(client.told()).isEqualTo("a=gone");

        clock.advance(Duration.ofSeconds(1000));
        sweeper.run();
        assertThat(keyspace.cells()).isZero();
    }

    @Test
    void counterAtItsDeadline_isTold() {
        counters.add(key("a"), 5);
        counters.expireAt(PNCOUNT, key("a"), clock.epochMillis() + 500);
        Client client = watch(names("a"));
        round();
        client.told();

        clock.advance(Duration.ofSeconds(1));
        sweeper.run();
        round();

        assertThat(client.told()).isEqualTo("a=gone");
    }

    @Test
    void text_isToldWithoutAValue() {
        Client client = watch(names("a"));
        round();
        client.told();

        counters.assign(key("a"), bytes("text"), 0, 4, Life.NEVER);
        round();

        assertThat(client.told()).isEqualTo("a=null");
    }

    @Test
    void rounds_comeAtMostTenTimesASecond() {
        Client client = watch(names("a"));
        round();
        client.told();

        for (int i = 0; i < 100; i++) {
            counters.add(key("a"), 1);
            watching.round();
            clock.advance(Duration.ofMillis(10));
        }

        assertThat(client.told().split(" ", -1)).hasSizeBetween(9, 10);
    }

    @Test
    void rounds_thatTakeLong_comeSeldom() {
        Client client = watch(names("a"));
        round();
        client.told();

        encoding = Duration.ofMillis(20);
        assertThat(toldIn(client, 3_000)).isBetween(4, 6);
        encoding = Duration.ZERO;
        sending = Duration.ofMillis(20);
        assertThat(toldIn(client, 3_000)).isBetween(4, 6);
        sending = Duration.ofSeconds(10);
        toldIn(client, 100);
        sending = Duration.ZERO;
        assertThat(toldIn(client, 3_000)).isGreaterThan(5);
    }

    /// How often a counter that changes all the time is told in so many milliseconds.
    private int toldIn(Client client, int millis) {
        client.told();
        long end = clock.nanos() + millis * 1_000_000L;
        while (clock.nanos() < end) {
            counters.add(key("a"), 1);
            watching.round();
            clock.advance(Duration.ofMillis(10));
        }
        return client.told().split(" ", -1).length;
    }

    @Test
    void round_hasRoomForSomeNews_andTheNextOnesForTheRest() {
        Client client = watch(prefix(""));
        round();
        client.told();
        for (int i = 0; i < 3_000; i++) {
            counters.add(key("counter-" + i), 1);
        }

        round();
        int first = client.told().split(" ", -1).length;
        int all = first;
        for (int i = 0; i < 10; i++) {
            round();
            all += (int) client.told().chars().filter(letter -> letter == '=').count();
        }

        assertThat(first).isBetween(100, 1_500);
        assertThat(all).isEqualTo(3_000);
    }

    @Test
    void presentValues_comeSomeAtATime() {
        for (int i = 0; i < 20_000; i++) {
            counters.add(key("counter-" + i), 1);
        }
        Client client = watch(prefix(""));

        round();
        String first = client.told();
        StringBuilder all = new StringBuilder(first);
        for (int i = 0; i < 20; i++) {
            round();
            all.append(' ').append(client.told());
        }

        assertThat(first).hasSizeBetween(10_000, 100_000);
        assertThat(all.toString().strip()).endsWith("complete");
        assertThat(known(all.toString())).hasSize(20_000);
    }

    /// A counter that so many watch that it takes the room of a round alone, and changes in each.
    @Test
    void hotCounter_doesNotKeepOthersFromBeingTold() {
        int partition = keyspace.partitionOf(key("hot"));
        List<String> others = IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "other-" + i)
                .filter(name -> keyspace.partitionOf(key(name)) == partition)
                .limit(20)
                .toList();
        Client client = watch(prefix("other-"));
        for (int i = 0; i < 1_500; i++) {
            watch(names("hot", "name-" + i));
        }
        round();
        round();
        client.told();

        others.forEach(name -> counters.add(key(name), 1));
        Map<String, String> told = new HashMap<>();
        for (int i = 0; i < 50; i++) {
            counters.add(key("hot"), 1);
            round();
            told.putAll(known(client.told()));
        }

        assertThat(told.keySet()).containsExactlyInAnyOrderElementsOf(others);
    }

    @Test
    void prefixes_ofManyClients_areEachToldOfTheirs() {
        List<Client> clients = IntStream.range(0, 300)
                .mapToObj(i -> watch(prefix("user:" + i + ":")))
                .toList();
        Client all = watch(prefix(""));
        round();
        clients.forEach(Client::told);
        all.told();

        counters.add(key("user:7:likes"), 1);
        counters.add(key("user:77:likes"), 1);
        round();

        assertThat(clients.get(7).told()).isEqualTo("user:7:likes=1");
        assertThat(clients.get(77).told()).isEqualTo("user:77:likes=1");
        assertThat(clients.get(8).told()).isEmpty();
        assertThat(all.told().split(" ", -1)).hasSize(2);
        clients.get(7).watcher.close();
        counters.add(key("user:7:likes"), 1);
        round();
        assertThat(clients.get(7).told()).isEmpty();
    }

    @Test
    void clientThatTakesNoBytes_isToldThatItMissedSomeAndGetsPresentValues() {
        counters.add(key("a"), 5);
        counters.add(key("b"), 5);
        Client client = watch(prefix(""));
        round();
        client.told();

        client.writable = false;
        counters.add(key("a"), 1);
        round();
        counters.delete(PNCOUNT, key("b"));
        round();
        assertThat(client.told()).isEmpty();
        client.writable = true;
        round();

        assertThat(client.told()).isEqualTo("missed a=6 complete");
    }

    @Test
    void clientThatTakesNoBytes_whenNothingChanges_missesNothing() {
        Client client = watch(prefix(""));
        round();
        client.told();

        client.writable = false;
        round();
        client.writable = true;
        counters.add(key("a"), 1);
        round();

        assertThat(client.told()).isEqualTo("a=1");
    }

    @Test
    void silence_isFilledForProxies() {
        Client client = watch(names("a"));
        round();
        client.told();

        clock.advance(Duration.ofSeconds(15));
        round();
        round();

        assertThat(client.told()).isEqualTo("nothing");
    }

    @Test
    void changes_whileNobodyWatches_areNotMarked() {
        counters.add(key("a"), 1);
        assertThat(keyspace.marked(Keyspace.Consumer.WATCHERS)).isZero();
        Client client = watch(names("b"));
        Client other = watch(names("b"));
        round();
        counters.add(key("a"), 1);
        assertThat(keyspace.marked(Keyspace.Consumer.WATCHERS)).isOne();

        client.watcher.close();
        watching.round();
        counters.add(key("b"), 1);
        clock.advance(ROUND);
        watching.round();
        assertThat(other.told()).endsWith("b=1");
        other.watcher.close();
        watching.round();

        counters.add(key("a"), 1);
        assertThat(keyspace.marked(Keyspace.Consumer.WATCHERS)).isZero();
        assertThat(client.told()).isEqualTo("complete");
    }

    /// However changes, connections and rounds come, everybody knows in the end what there is.
    @Test
    void everybody_inTheEnd_knowsWhatThereIs() {
        Property.forAll(gen -> new WatchingTest().check(gen));
    }

    private void check(Gen gen) {
        List<Client> clients = new ArrayList<>();
        int steps = gen.between(1, 60);
        for (int i = 0; i < steps; i++) {
            String name = "k" + gen.between(0, gen.chance(50) ? 3 : 300);
            switch (gen.between(0, 7)) {
                case 0, 1 -> counters.add(key(name), gen.between(1, 3));
                case 2 -> counters.delete(PNCOUNT, key(name));
                case 3 -> counters.expireAt(PNCOUNT, key(name), clock.epochMillis() + gen.between(1, 500));
                case 4 -> {
                    for (int j = 0; j < 400; j++) {
                        counters.add(key("k" + j), 1);
                    }
                }
                case 5 -> {
                    if (clients.size() < 4) {
                        clients.add(watch(gen.pick(prefix(""), prefix("k1"), names("k1", "k2", name))));
                    }
                }
                case 6 -> {
                    if (!clients.isEmpty()) {
                        Client client = gen.pick(clients);
                        client.writable = !client.writable;
                    }
                }
                default -> {
                    sweeper.run();
                    round();
                }
            }
        }
        clients.forEach(client -> client.writable = true);
        clock.advance(Duration.ofSeconds(1));
        sweeper.run();
        for (int i = 0; i < 20; i++) {
            round();
        }
        for (Client client : clients) {
            assertThat(known(client.told())).isEqualTo(present(client.watcher.topic()));
        }
    }

    private static Map<String, String> known(String told) {
        Map<String, String> known = new HashMap<>();
        for (String event : told.split(" ", -1)) {
            if (event.equals("missed")) {
                known.clear();
            } else if (event.contains("=")) {
                String[] parts = event.split("=", -1);
                if (parts[1].equals("gone")) {
                    known.remove(parts[0]);
                } else {
                    known.put(parts[0], parts[1]);
                }
            }
        }
        return known;
    }

    private Map<String, String> present(Topic topic) {
        Map<String, String> present = new HashMap<>();
        keyspace.scan(0, Integer.MAX_VALUE, (_, key, cell) -> {
            String name = new String(key.toByteArray(), StandardCharsets.UTF_8);
            boolean isWatched =
                    topic.isOfPrefix() ? topic.matches(key) : topic.names().contains(ByteBuffer.wrap(bytes(name)));
            if (cell.exists() && isWatched) {
                present.put(name, String.valueOf(cell.value()));
            }
        });
        return present;
    }
}
