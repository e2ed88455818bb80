package io.tallis.command.hash;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.CommandSet;
import io.tallis.command.Reply;
import io.tallis.command.hash.RangeOptions.By;
import io.tallis.keyspace.Ranking.Direction;
import io.tallis.keyspace.Ranking.Slice;
import io.tallis.keyspace.Score;
import java.util.Objects;

/// The commands of Redis's sorted sets that read one.
///
/// A sorted set is a hash: its members are the fields with numbers, and these are the scores. See
/// [io.tallis.keyspace.Ranking].
final class SortedSetCommands {
    private SortedSetCommands() {}

    static void addTo(CommandSet commands) {
        commands.add("zscore", SortedSetCommands::score)
                .add("zmscore", SortedSetCommands::scores)
                .add("zcard", HashCommands::length)
                .add("zcount", SortedSetCommands::count)
                .add("zrank", rank("zrank", Direction.FROM_LEAST))
                .add("zrevrank", rank("zrevrank", Direction.FROM_GREATEST))
                .add("zrange", SortedSetCommands::range)
                .add("zrevrange", range(By.POSITION, Direction.FROM_GREATEST))
                .add("zrangebyscore", range(By.SCORE, Direction.FROM_LEAST))
                .add("zrevrangebyscore", range(By.SCORE, Direction.FROM_GREATEST))
                .add("zscan", HashCommands::scan);
    }

    /// `ZSCORE key member`
    private static void score(Arguments arguments, Client client, Reply reply) {
        answerScore(Fields.read(arguments, 2, client), client, reply);
    }

    private static void answerScore(boolean found, Client client, Reply reply) {
        Score score = found ? Score.of(client.counters().cell()) : null;
        if (score == null) {
            reply.nil();
        } else {
            reply.score(score);
        }
    }

    /// `ZMSCORE key member...`: the scores at one moment.
    private static void scores(Arguments arguments, Client client, Reply reply) {
        client.counters().lock(arguments.key(1));
        try {
            Fields.requireNoString(arguments, client);
            reply.array(arguments.count() - 2);
            for (int word = 2; word < arguments.count(); word++) {
                answerScore(Fields.read(arguments, word, client), client, reply);
            }
        } finally {
            client.counters().unlock(arguments.key(1));
        }
    }

    /// `ZCOUNT key min max`
    private static void count(Arguments arguments, Client client, Reply reply) {
        ScoreBounds bounds = ScoreBounds.of(arguments, 2, 3);
        Fields.requireNoString(arguments, client);
        reply.integer(client.counters().ranking().count(arguments.key(1), bounds.from(), bounds.to()));
    }

    /// `ZRANK key member [WITHSCORE]`, `ZREVRANK key member [WITHSCORE]`
    private static Command rank(String name, Direction direction) {
        return (arguments, client, reply) -> {
            if (arguments.count() > 4) {
                throw new CommandError("ERR wrong number of arguments for '" + name + "' command");
            }
            boolean withScore = arguments.count() == 4;
            if (withScore && !arguments.is(3, "WITHSCORE")) {
                throw CommandError.syntax();
            }
            Fields.requireNoString(arguments, client);
            int position = client.counters()
                    .ranking()
                    .position(arguments.key(1), arguments.array(), arguments.offset(2), arguments.length(2), direction);
            client.lookedUp(position >= 0);
            if (position < 0 && withScore) {
                reply.nilArray();
            } else if (position < 0) {
                reply.nil();
            } else if (withScore) {
                reply.array(2);
                reply.integer(position);
                reply.score(Objects.requireNonNull(Score.of(client.counters().cell())));
            } else {
                reply.integer(position);
            }
        };
    }

    /// `ZRANGE key start stop [BYSCORE] [REV] [LIMIT offset count] [WITHSCORES]`
    private static void range(Arguments arguments, Client client, Reply reply) {
        range(arguments, RangeOptions.of(arguments), client, reply);
    }

    /// `ZREVRANGE key start stop [WITHSCORES]`, `ZRANGEBYSCORE key min max [WITHSCORES] [LIMIT offset count]`,
    /// `ZREVRANGEBYSCORE key max min [WITHSCORES] [LIMIT offset count]`
    private static Command range(By by, Direction direction) {
        return (arguments, client, reply) -> range(arguments, RangeOptions.of(arguments, by, direction), client, reply);
    }

    private static void range(Arguments arguments, RangeOptions options, Client client, Reply reply) {
        Slice slice = options.slice(arguments);
        RankedMembers members = RankedMembers.of(arguments.key(1), slice, client);
        if (members.count() == 0) {
            Fields.requireNoString(arguments, client);
        }
        client.lookedUp(members.count() > 0);
        if (options.withScores()) {
            members.answerWithScores(reply);
        } else {
            members.answer(reply);
        }
    }
}
