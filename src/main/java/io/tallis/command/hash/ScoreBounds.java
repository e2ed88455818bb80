package io.tallis.command.hash;

import io.tallis.command.Arguments;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;
import io.tallis.keyspace.Score;
import java.math.BigDecimal;

/// A range of scores: those that are not below `from`, and below `to`. A request writes a bound as `5` if it is in the
/// range, as `(5` if it is not, and as `-inf` or `+inf` if there is none.
record ScoreBounds(Score from, Score to) {
    static ScoreBounds of(Arguments arguments, int minWord, int maxWord) {
        String min = arguments.text(minWord);
        String max = arguments.text(maxWord);
        Score least = score(min);
        Score greatest = score(max);
        return new ScoreBounds(isOpen(min) ? least.next() : least, isOpen(max) ? greatest : greatest.next());
    }

    private static boolean isOpen(String bound) {
        return bound.startsWith("(");
    }

    /// The bound itself, or one beyond all scores if it is beyond 64 bits.
    private static Score score(String bound) {
        String digits = isOpen(bound) ? bound.substring(1) : bound;
        if (Numbers.isInfinite(digits)) {
            return digits.startsWith("-") ? Score.START : Score.END;
        }
        BigDecimal number =
                Numbers.decimal(digits).orElseThrow(() -> new CommandError("ERR min or max is not a float"));
        if (Numbers.isWithinLong(number)) {
            return Score.bound(number);
        }
        return number.signum() < 0 ? Score.START : Score.END;
    }
}
