package io.tallis.command.hash;

import io.tallis.command.Arguments;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;
import io.tallis.keyspace.Ranking.Direction;
import io.tallis.keyspace.Ranking.Slice;
import org.jspecify.annotations.Nullable;

/// Which members of a sorted set a request asks for: by their positions or by their scores, and from which end. With a
/// limit, `offset` of those by scores are left out and then at most `count` are taken, all if it is negative.
record RangeOptions(By by, Direction direction, boolean withScores, long offset, long count) {
    enum By {
        POSITION,
        SCORE
    }

    private static final long ALL = -1;

    /// Those of `ZREVRANGE`, `ZRANGEBYSCORE` and `ZREVRANGEBYSCORE`: `[WITHSCORES] [LIMIT offset count]`.
    static RangeOptions of(Arguments arguments, By by, Direction direction) {
        return parse(arguments, by, direction);
    }

    /// Those of `ZRANGE`: `[BYSCORE] [REV] [LIMIT offset count] [WITHSCORES]`.
    static RangeOptions of(Arguments arguments) {
        return parse(arguments, null, null);
    }

    /// What the command leaves open is null until an option says it.
    private static RangeOptions parse(Arguments arguments, @Nullable By fixedBy, @Nullable Direction fixedDirection) {
        By by = fixedBy;
        Direction direction = fixedDirection;
        boolean withScores = false;
        long offset = 0;
        long count = ALL;
        for (int word = 4; word < arguments.count(); word++) {
            if (arguments.is(word, "WITHSCORES")) {
                withScores = true;
            } else if (arguments.is(word, "LIMIT") && word + 2 < arguments.count()) {
                offset = Numbers.signed(arguments, ++word);
                count = Numbers.signed(arguments, ++word);
            } else if (direction == null && arguments.is(word, "REV")) {
                direction = Direction.FROM_GREATEST;
            } else if (by == null && arguments.is(word, "BYSCORE")) {
                by = By.SCORE;
            } else if (by == null && arguments.is(word, "BYLEX")) {
                throw new CommandError("ERR BYLEX is not supported: members are in the order of their scores");
            } else {
                throw CommandError.syntax();
            }
        }
        if (by != By.SCORE && count != ALL) {
            throw new CommandError(
                    "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
        }
        return new RangeOptions(
                by == null ? By.POSITION : by,
                direction == null ? Direction.FROM_LEAST : direction,
                withScores,
                offset,
                count);
    }

    /// The members that are meant, between the bounds in words 2 and 3. From the greatest score the greater bound is
    /// first.
    Slice slice(Arguments arguments) {
        if (by == By.POSITION) {
            return Slice.ofPositions(Numbers.signed(arguments, 2), Numbers.signed(arguments, 3), direction);
        }
        ScoreBounds bounds =
                direction == Direction.FROM_LEAST ? ScoreBounds.of(arguments, 2, 3) : ScoreBounds.of(arguments, 3, 2);
        if (offset < 0 || count == 0) {
            return Slice.NONE;
        }
        long last = count < 0 ? ALL : offset > Long.MAX_VALUE - count ? Long.MAX_VALUE : offset + count - 1;
        return new Slice(bounds.from(), bounds.to(), offset, last, direction);
    }
}
