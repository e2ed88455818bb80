package io.tallis.command.hash;

import io.tallis.command.Arguments;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;
import io.tallis.keyspace.Ranking.Slice;

/// Which members of a sorted set a request asks for: by their positions or by their scores, and from which end. With a
/// limit, `offset` of those by scores are left out and then at most `count` are taken, all if it is negative.
record RangeOptions(boolean byScore, boolean isReverse, boolean withScores, long offset, long count) {
    private static final long ALL = -1;

    /// Those of `ZREVRANGE`, `ZRANGEBYSCORE` and `ZREVRANGEBYSCORE`: `[WITHSCORES] [LIMIT offset count]`.
    static RangeOptions of(Arguments arguments, boolean byScore, boolean isReverse) {
        return parse(arguments, new RangeOptions(byScore, isReverse, false, 0, ALL), false);
    }

    /// Those of `ZRANGE`: `[BYSCORE] [REV] [LIMIT offset count] [WITHSCORES]`.
    static RangeOptions of(Arguments arguments) {
        return parse(arguments, new RangeOptions(false, false, false, 0, ALL), true);
    }

    private static RangeOptions parse(Arguments arguments, RangeOptions fixed, boolean isChosen) {
        boolean byScore = fixed.byScore;
        boolean isReverse = fixed.isReverse;
        boolean withScores = false;
        long offset = 0;
        long count = ALL;
        for (int word = 4; word < arguments.count(); word++) {
            if (arguments.is(word, "WITHSCORES")) {
                withScores = true;
            } else if (arguments.is(word, "LIMIT") && word + 2 < arguments.count()) {
                offset = Numbers.signed(arguments, ++word);
                count = Numbers.signed(arguments, ++word);
            } else if (isChosen && !isReverse && arguments.is(word, "REV")) {
                isReverse = true;
            } else if (isChosen && !byScore && arguments.is(word, "BYSCORE")) {
                byScore = true;
            } else if (isChosen && arguments.is(word, "BYLEX")) {
                throw new CommandError("ERR BYLEX is not supported: members are in the order of their scores");
            } else {
                throw CommandError.syntax();
            }
        }
        if (!byScore && count != ALL) {
            throw new CommandError(
                    "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX");
        }
        return new RangeOptions(byScore, isReverse, withScores, offset, count);
    }

    /// The members that are meant, between the bounds in words 2 and 3. For scores in reverse the greater one is first.
    Slice slice(Arguments arguments) {
        if (!byScore) {
            return Slice.ofPositions(Numbers.signed(arguments, 2), Numbers.signed(arguments, 3), isReverse);
        }
        ScoreBounds bounds = isReverse ? ScoreBounds.of(arguments, 3, 2) : ScoreBounds.of(arguments, 2, 3);
        if (offset < 0 || count == 0) {
            return new Slice(1, 0, 0, 0, isReverse);
        }
        long last = count < 0 ? ALL : offset > Long.MAX_VALUE - count ? Long.MAX_VALUE : offset + count - 1;
        return new Slice(bounds.min(), bounds.max(), offset, last, isReverse);
    }
}
