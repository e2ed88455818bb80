package io.tallis.command;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/// Parser of the numbers in requests: decimal digits without blanks, plus signs or leading zeros, as in Redis.
public final class Numbers {
    /// The error for a word that is not a signed number of 64 bits.
    public static final String NOT_AN_INTEGER = "ERR value is not an integer or out of range";

    private static final String INVALID_CURSOR = "ERR invalid cursor";

    private static final int MOST_DIGITS = 20;

    /// The digits of the largest numbers of 64 signed bits.
    private static final byte[] LARGEST = Long.toString(Long.MAX_VALUE).getBytes(StandardCharsets.US_ASCII);

    private static final byte[] LARGEST_NEGATIVE =
            Long.toString(Long.MIN_VALUE).substring(1).getBytes(StandardCharsets.US_ASCII);

    /// Decimal floats as `strtold` reads them, with an exponent that fits that of Redis's floats.
    private static final Pattern FLOAT = Pattern.compile("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d{1,4})?");

    private static final Pattern INFINITE = Pattern.compile("[+-]?(inf|infinity)", Pattern.CASE_INSENSITIVE);

    private static final int LONGEST_FLOAT = 256;
    private static final BigInteger BEYOND = BigInteger.ONE.shiftLeft(Long.SIZE);
    private static final BigDecimal LEAST = BigDecimal.valueOf(Long.MIN_VALUE);
    private static final BigDecimal GREATEST = BigDecimal.valueOf(Long.MAX_VALUE);

    private Numbers() {}

    /// The word as a signed number.
    public static long signed(Arguments arguments, int word) {
        return signed(arguments, word, NOT_AN_INTEGER);
    }

    /// The word as a signed number to subtract. Returns the number to add.
    public static long negated(Arguments arguments, int word) {
        long number = signed(arguments, word);
        if (number == Long.MIN_VALUE) {
            throw new CommandError("ERR decrement would overflow");
        }
        return -number;
    }

    /// The word as a signed number, or the error `otherwise`.
    public static long signed(Arguments arguments, int word, String otherwise) {
        int start = arguments.offset(word);
        int length = arguments.length(word);
        require(isSigned(arguments.array(), start, length), otherwise);
        return signed(arguments.array(), start, length);
    }

    /// Whether these bytes are a signed number.
    public static boolean isSigned(byte[] bytes, int start, int length) {
        if (length == 0 || length > MOST_DIGITS) {
            return false;
        }
        boolean negative = bytes[start] == '-';
        int first = negative ? start + 1 : start;
        int digits = start + length - first;
        if (digits == 0 || digits > LARGEST.length || (bytes[first] == '0' && length > 1)) {
            return false;
        }
        for (int i = first; i < first + digits; i++) {
            if (bytes[i] < '0' || bytes[i] > '9') {
                return false;
            }
        }
        return digits < LARGEST.length
                || Arrays.compare(
                                bytes, first, first + digits, negative ? LARGEST_NEGATIVE : LARGEST, 0, LARGEST.length)
                        <= 0;
    }

    /// The number that [#isSigned] these bytes are.
    public static long signed(byte[] bytes, int start, int length) {
        boolean negative = bytes[start] == '-';
        // There is one more negative number than there are positive ones.
        long number = 0;
        for (int i = negative ? start + 1 : start; i < start + length; i++) {
            number = number * 10 - (bytes[i] - '0');
        }
        return negative ? number : -number;
    }

    /// Whole numbers of 64 bits in the notation of floats (`5.0`, `1e2`), as commands for floats get them. Refuses
    /// fractions, infinity with the error `ifInfinite`, and with Redis's text what is no number.
    public static long whole(byte[] bytes, int start, int length, String ifInfinite) {
        return whole(bytes, start, length, ifInfinite, CommandError.OVERFLOW);
    }

    /// The same, with the error `ifLarge` for numbers of more than 64 bits.
    public static long whole(byte[] bytes, int start, int length, String ifInfinite, String ifLarge) {
        if (isSigned(bytes, start, length)) {
            return signed(bytes, start, length);
        }
        return whole(decimal(bytes, start, length, ifInfinite), ifLarge);
    }

    /// A number in the notation of floats, or the error `ifInfinite` if it is infinite.
    public static BigDecimal decimal(byte[] bytes, int start, int length, String ifInfinite) {
        String text = new String(bytes, start, length, StandardCharsets.ISO_8859_1);
        if (isInfinite(text)) {
            throw new CommandError(ifInfinite);
        }
        return decimal(text).orElseThrow(() -> new CommandError("ERR value is not a valid float"));
    }

    /// Whether a number is between the least and the greatest of 64 signed bits.
    public static boolean isWithinLong(BigDecimal number) {
        return number.compareTo(LEAST) >= 0 && number.compareTo(GREATEST) <= 0;
    }

    /// Whether a text in the notation of floats is infinity, with any sign.
    public static boolean isInfinite(String text) {
        return INFINITE.matcher(text).matches();
    }

    /// The number that a text in the notation of floats is, unless it is infinite.
    public static Optional<BigDecimal> decimal(String text) {
        return text.length() <= LONGEST_FLOAT && FLOAT.matcher(text).matches()
                ? Optional.of(new BigDecimal(text))
                : Optional.empty();
    }

    private static long whole(BigDecimal number, String ifLarge) {
        BigDecimal shortest = number.stripTrailingZeros();
        if (shortest.scale() > 0) {
            throw new CommandError("ERR fractions are not supported: Tallis counts whole numbers, such as 5 or 5.0");
        }
        boolean isLarge = (long) shortest.precision() - shortest.scale() > LARGEST.length;
        BigInteger whole = isLarge ? BEYOND : shortest.toBigInteger();
        require(whole.bitLength() < Long.SIZE, ifLarge);
        return whole.longValue();
    }

    /// The word as a number of 64 unsigned bits, or the error `otherwise`.
    public static long unsigned(Arguments arguments, int word, String otherwise) {
        byte[] bytes = arguments.array();
        int start = arguments.offset(word);
        int end = start + arguments.length(word);
        require(isCanonical(bytes, start, end), otherwise);
        return digits(bytes, start, end, otherwise);
    }

    /// The word as a cursor. Redis parses cursors with `strtoul`: a sign and leading zeros are accepted, a negative
    /// number wraps around 2^64, an empty word is 0, and a zero byte ends it.
    static long cursor(Arguments arguments, int word) {
        byte[] bytes = arguments.array();
        int start = arguments.offset(word);
        int end = start;
        while (end < start + arguments.length(word) && bytes[end] != 0) {
            end++;
        }
        boolean signed = start < end && (bytes[start] == '-' || bytes[start] == '+');
        int digits = signed ? start + 1 : start;
        require(digits < end || !signed, INVALID_CURSOR);
        long magnitude = digits(bytes, digits, end, INVALID_CURSOR);
        return signed && bytes[start] == '-' ? -magnitude : magnitude;
    }

    /// The word as a number from `low` to `high`, or the error `otherwise`.
    public static int between(int low, int high, Arguments arguments, int word, String otherwise) {
        long number = signed(arguments, word, otherwise);
        require(number >= low && number <= high, otherwise);
        return (int) number;
    }

    private static boolean isCanonical(byte[] bytes, int start, int end) {
        return end > start && end - start <= MOST_DIGITS && (bytes[start] != '0' || end - start == 1);
    }

    private static long digits(byte[] bytes, int start, int end, String otherwise) {
        long number = 0;
        for (int i = start; i < end; i++) {
            int digit = bytes[i] - '0';
            require(digit >= 0 && digit <= 9, otherwise);
            require(fits(number, digit), otherwise);
            number = number * 10 + digit;
        }
        return number;
    }

    /// Whether `10 * number + digit` is below 2^64.
    private static boolean fits(long number, int digit) {
        long tenth = Long.divideUnsigned(-1L, 10);
        int compared = Long.compareUnsigned(number, tenth);
        return compared < 0 || (compared == 0 && digit <= 5);
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new CommandError(otherwise);
        }
    }
}
