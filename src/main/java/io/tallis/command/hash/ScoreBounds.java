package io.tallis.command.hash;

import io.tallis.command.Arguments;
import io.tallis.command.CommandError;
import io.tallis.command.Numbers;
import java.math.BigDecimal;
import java.math.RoundingMode;

/// The least and the greatest score of a range. In requests they are written as `5`, as `(5` for a bound that is not in
/// the range itself, and as `-inf` and `+inf`; they may have fractions, which scores have not.
record ScoreBounds(long min, long max) {
    private static final BigDecimal BEYOND = BigDecimal.TWO.pow(Long.SIZE);
    private static final BigDecimal LEAST = BigDecimal.valueOf(Long.MIN_VALUE);
    private static final BigDecimal GREATEST = BigDecimal.valueOf(Long.MAX_VALUE);

    static ScoreBounds of(Arguments arguments, int minWord, int maxWord) {
        BigDecimal min = bound(arguments, minWord, RoundingMode.CEILING).max(LEAST);
        BigDecimal max = bound(arguments, maxWord, RoundingMode.FLOOR).min(GREATEST);
        return min.compareTo(max) > 0
                ? new ScoreBounds(1, 0)
                : new ScoreBounds(min.longValueExact(), max.longValueExact());
    }

    /// The whole number within the range that is next to the bound.
    private static BigDecimal bound(Arguments arguments, int word, RoundingMode inwards) {
        String text = arguments.text(word);
        boolean isOpen = text.startsWith("(");
        String digits = isOpen ? text.substring(1) : text;
        // A number with thousands of digits would take long to round.
        BigDecimal number = number(digits).min(BEYOND).max(BEYOND.negate());
        BigDecimal whole = number.setScale(0, inwards);
        boolean isExcluded = isOpen && whole.compareTo(number) == 0;
        BigDecimal step = inwards == RoundingMode.CEILING ? BigDecimal.ONE : BigDecimal.ONE.negate();
        return isExcluded ? whole.add(step) : whole;
    }

    /// The bound itself, beyond all scores if it is infinite.
    private static BigDecimal number(String digits) {
        if (Numbers.isInfinite(digits)) {
            return digits.startsWith("-") ? BEYOND.negate() : BEYOND;
        }
        return Numbers.decimal(digits).orElseThrow(() -> new CommandError("ERR min or max is not a float"));
    }
}
