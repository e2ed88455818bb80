package io.tallis.keyspace;

import io.tallis.crdt.Cell;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// The place of a field in the order of values: a whole number of 64 bits, exactly, or a number with a fraction, as a
/// float has it.
///
/// ```
/// number     5     5.25     -0.5     1732872000.123456
/// whole      5     5        0        1732872000
/// fraction   0     0.25     -0.5     0.123456          with the sign of the number
/// ```
///
/// A field that counts has a whole number. A fraction is the text of a register: two nodes that assign one keep the
/// later, as with any text, and nothing is added to it.
public record Score(long whole, double fraction) implements Comparable<Score> {
    /// Below all scores of fields.
    public static final Score START = new Score(Long.MIN_VALUE, Double.NEGATIVE_INFINITY);

    /// Above all scores of fields.
    public static final Score END = new Score(Long.MAX_VALUE, Double.POSITIVE_INFINITY);

    /// From here on a float has no fraction.
    private static final double WHOLE_FROM = 0x1p53;

    private static final double BEYOND = 0x1p63;

    /// The longest text that [#toString] makes, `-0.0000012345678901234567`.
    private static final int LONGEST = 25;

    public static Score of(long number) {
        return new Score(number, 0);
    }

    /// The score that is set by a number with at most 64 bits before the point: exactly if it is whole, else as the
    /// nearest float.
    public static Score of(BigDecimal number) {
        return isFraction(number) ? of(number.doubleValue()) : of(number.longValueExact());
    }

    private static boolean isFraction(BigDecimal number) {
        return number.stripTrailingZeros().scale() > 0;
    }

    private static Score of(double number) {
        long whole = (long) number;
        // The sum is never -0.
        return new Score(whole, Math.abs(number) < WHOLE_FROM ? number - whole + 0.0 : 0);
    }

    /// A bound of a range, which is exact where floats have no fractions any more.
    public static Score bound(BigDecimal number) {
        BigDecimal whole = new BigDecimal(number.toBigInteger());
        return isFraction(number) && Math.abs(number.doubleValue()) >= WHOLE_FROM
                ? new Score(whole.longValueExact(), number.subtract(whole).doubleValue())
                : of(number);
    }

    /// What readers see in a cell, unless its deadline has come; null if that is nothing, or a text that is no number.
    static @Nullable Score seen(Cell cell) {
        return cell.exists() ? of(cell) : null;
    }

    /// The score of a cell that exists; null if it is a text that is no number.
    public static @Nullable Score of(Cell cell) {
        return cell.hasText() ? ofText(cell.parts().array(), cell.textOffset(), cell.textLength()) : of(cell.value());
    }

    /// The score of a text, null if it is no number.
    public static @Nullable Score ofText(byte[] array, int offset, int length) {
        if (length == 0 || length > LONGEST) {
            return null;
        }
        for (int i = offset; i < offset + length; i++) {
            boolean isOfNumber = (array[i] >= '0' && array[i] <= '9') || "+-.eE".indexOf(array[i]) >= 0;
            if (!isOfNumber) {
                return null;
            }
        }
        try {
            double number = Double.parseDouble(new String(array, offset, length, StandardCharsets.US_ASCII));
            return Math.abs(number) < BEYOND ? of(number) : null;
        } catch (NumberFormatException _) {
            return null;
        }
    }

    /// The next score that is possible: what is not above this one is below that one.
    public Score next() {
        return new Score(whole, Math.nextUp(fraction));
    }

    /// Whether a register has it as a number, which increments are added to.
    public boolean isWhole() {
        return fraction == 0;
    }

    @Override
    public int compareTo(Score other) {
        return whole == other.whole ? Double.compare(fraction, other.fraction) : Long.compare(whole, other.whole);
    }

    /// The number with the fewest digits that is this float; below 1e-6 with an exponent.
    @Override
    public String toString() {
        if (isWhole()) {
            return Long.toString(whole);
        }
        return BigDecimal.valueOf(whole + fraction)
                .stripTrailingZeros()
                .toString()
                .toLowerCase(Locale.ROOT);
    }
}
