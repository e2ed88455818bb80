package io.tallis.command.hash;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.crdt.Cell;
import io.tallis.keyspace.ChangeLog;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.transcript.FakeClient;
import io.tallis.transcript.FakeServer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Members that are removed by more than a section may hold.
final class ScoreChangesTest {
    /// With names of this length, more than a section may remove.
    private static final int MANY = 25_000;

    private static final int LENGTH = 300;
    private static final int SOME = 3_000;

    private final FakeServer server = new FakeServer();
    private final FakeClient client = server.connect();

    /// Adds so many members to `b`, whose scores are their numbers.
    private void fill(int count) {
        for (int first = 0; first < count; first += 1_000) {
            client.says("ZADD b "
                    + IntStream.range(first, first + 1_000)
                            .mapToObj(i -> i + " " + name(i))
                            .collect(Collectors.joining(" ")));
        }
    }

    private static String name(int number) {
        return ("m" + number + "-").concat("x".repeat(LENGTH)).substring(0, LENGTH);
    }

    private static List<String> names(IntStream numbers) {
        return numbers.mapToObj(ScoreChangesTest::name).toList();
    }

    private List<String> members() {
        return membersOf(client.says("ZRANGE b 0 -1"));
    }

    private static List<String> membersOf(String reply) {
        return reply.lines()
                .filter(line -> line.endsWith("x\""))
                .map(line -> line.substring(line.indexOf('"') + 1, line.length() - 1))
                .toList();
    }

    @Test
    void removalOfVeryManyMembers_repliesTheSum() {
        fill(MANY);

        assertThat(client.says("ZREMRANGEBYSCORE b 2 24997")).isEqualTo("(integer) 24996");
        assertThat(members()).isEqualTo(names(IntStream.of(0, 1, 24_998, 24_999)));
    }

    @Test
    void removalOfVeryManyMembersByPosition_leavesThoseOutsideOfIt() {
        fill(MANY);

        assertThat(client.says("ZREMRANGEBYRANK b 2 -2")).isEqualTo("(integer) 24997");
        assertThat(members()).isEqualTo(names(IntStream.of(0, 1, 24_999)));
    }

    @Test
    void popOfVeryManyMembers_repliesEachOnceInOrder() {
        fill(MANY);

        List<String> popped = membersOf(client.says("ZPOPMAX b 24999"));

        assertThat(popped).isEqualTo(names(IntStream.range(1, MANY).map(i -> MANY - i)));
        assertThat(members()).isEqualTo(names(IntStream.of(0)));
    }

    @Test
    void removalOfVeryManyMembers_inScriptsAndTransactions_isRefused() {
        fill(MANY);
        assertThat(client.says("EVAL return(redis.call('ZREMRANGEBYSCORE',KEYS[1],'-inf','+inf')) 1 b"))
                .contains("ERR this changes more than");
        client.says("MULTI");
        client.says("ZREMRANGEBYSCORE b -inf +inf");
        client.says("ZPOPMIN b 25000");
        client.says("ZREMRANGEBYRANK b 0 9999");

        assertThat(client.says("EXEC").split("\n"))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("1) (error) ERR this changes more than"),
                        line -> assertThat(line).startsWith("2) (error) ERR this changes more than"),
                        line -> assertThat(line).isEqualTo("3) (integer) 10000"));
        assertThat(client.says("ZCARD b")).isEqualTo("(integer) 15000");
    }

    /// Between two pieces another client makes the next members leave the range.
    @Test
    void membersThatLeaveMeanwhile_areNotRemoved() {
        fill(SOME);
        FakeClient slow = interrupted(() -> client.says("ZADD b 9000 " + name(2_000) + " 9001 " + name(2_999)));

        assertThat(slow.says("ZREMRANGEBYSCORE b 0 2999")).isEqualTo("(integer) 2998");
        assertThat(members()).isEqualTo(names(IntStream.of(2_000, 2_999)));
    }

    /// The range does not grow by what comes while it is emptied, or this would take as long as others add to it.
    @Test
    void membersThatComeMeanwhile_makeARemovalNotLonger() {
        fill(SOME);
        int[] added = {0};
        FakeClient slow = interrupted(() -> {
            for (int i = 0; i < 2_000; i++) {
                client.says("ZADD b 1 new" + added[0]++);
            }
        });

        assertThat(slow.says("ZREMRANGEBYSCORE b 0 2999")).isEqualTo("(integer) 3000");
        assertThat(client.says("ZCARD b")).isEqualTo("(integer) " + added[0]);
    }

    @Test
    void membersThatArePoppedMeanwhile_arePoppedOnce() {
        fill(SOME);
        List<String> popped = new ArrayList<>();
        FakeClient slow = interrupted(() -> popped.addAll(membersOf(client.says("ZPOPMIN b 10"))));

        popped.addAll(membersOf(slow.says("ZPOPMIN b 3000")));

        assertThat(popped).doesNotHaveDuplicates().hasSize(SOME);
        assertThat(client.says("EXISTS b")).isEqualTo("(integer) 0");
    }

    /// A client that another thread gets ahead of whenever it has made some changes as one.
    private FakeClient interrupted(Runnable between) {
        return server.connect(new Counters(server.keyspace(), new GroupEnds(between)));
    }

    private record GroupEnds(Runnable then) implements ChangeLog {
        @Override
        public void record(Key key, Cell counter, boolean whole) {}

        @Override
        public void beginGroup() {}

        @Override
        public void endGroup() {
            then.run();
        }
    }
}
