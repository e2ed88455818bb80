package io.tallis.resp;

import io.tallis.command.Arguments;

/// The parser of the Redis protocol for one connection: finds the requests in the received bytes, in a single pass.
///
/// A request is an array of bulk strings, or an inline request, a line of words as a person types it (see
/// [InlineWords]):
///
///     *2\r\n$3\r\nGET\r\n$5\r\nvisits\r\n          GET visits\n
///
/// Words are not copied: [Arguments] has their offsets. For an incomplete request the decoder keeps its position and
/// continues there when more bytes arrive, so the cost does not depend on how many pieces they arrive in.
///
///     bytes:  ..handled.. | words found | not decoded | ..
///                       start        position        end
///
/// It accepts what Redis accepts (`*0`, `*-1` and empty lines are skipped; the two bytes after a bulk string may be
/// anything) and refuses what Redis refuses, with the same text. A line is searched up to [#MAX_LINE] bytes however it
/// arrives, so the result never depends on how the network cut the bytes.
final class RequestDecoder {
    /// The most bytes of a line: a count, a length, or an inline request.
    static final int MAX_LINE = 64 * 1024;

    /// The most words in a request.
    static final int MAX_WORDS = 1024 * 1024;

    /// The most words in a request of a client that has to authenticate first.
    static final int MAX_WORDS_UNAUTHENTICATED = 10;

    /// The most bytes of a word of such a client.
    static final int MAX_BULK_UNAUTHENTICATED = 16 * 1024;

    private static final int DIGITS_IN_SHORT_NUMBER = 9;
    private static final int DIGITS_IN_LONGEST_NUMBER = 20;

    /// What [#number] returns when it finds no number from 0 on.
    private static final int NEGATIVE = -1;

    private static final int INCOMPLETE_LINE = -2;
    private static final int ENDLESS_LINE = -3;
    private static final int MALFORMED = -4;

    private static final int UNKNOWN = -1;
    private static final byte[] NOTHING = {};

    /// The result of decoding.
    enum Step {
        /// A request is complete; its words are in [#arguments].
        REQUEST,
        /// All bytes were decoded; the current request, if any, needs more.
        INCOMPLETE,
        /// A protocol error, described by [#refusal]. The bytes behind it are unusable.
        REFUSED,
        /// No request here, though there may be more bytes.
        NOTHING
    }

    private Arguments arguments = new Arguments();
    private byte[] bytes = NOTHING;
    private int start;
    private int position;
    private int searched;
    private int end;
    private int handling = UNKNOWN;
    private int wordsLeft;
    private int bulkLength = UNKNOWN;
    private String refusal = "";

    /// The words found so far of the present request.
    Arguments arguments() {
        return arguments;
    }

    /// Returns the words of the request that was found; `next` becomes the place for those of the next one.
    Arguments exchange(Arguments next) {
        Arguments found = arguments;
        arguments = next;
        return found;
    }

    /// The text of the error reply.
    String refusal() {
        return refusal;
    }

    /// The index of the first byte that is still needed. Of an incomplete array that is the first, since the words
    /// found so far are offsets into it.
    int from() {
        return wordsLeft == 0 ? position : start;
    }

    int end() {
        return end;
    }

    /// The number of bytes that are still needed or were not decoded.
    int held() {
        return end - from();
    }

    /// The index of the first byte of the request that was found last.
    int requestStart() {
        return start;
    }

    /// Notes that the request that starts at that byte is being handled.
    void beginHandling(int requestStart) {
        handling = requestStart;
    }

    /// Notes that no request is being handled.
    void endHandling() {
        handling = UNKNOWN;
    }

    /// The number of bytes of requests that have not been completely handled. Any thread may read it.
    int unhandled() {
        return Math.max(0, end - (handling == UNKNOWN ? from() : handling));
    }

    /// Notes that the bytes held were copied to index `from` of `target`, and that the bytes there end at `end`: they,
    /// and perhaps newly received ones behind them.
    void move(byte[] target, int from, int end) {
        int shift = from - from();
        if (wordsLeft == 0) {
            arguments.begin(target);
        } else {
            arguments.moved(target, shift);
        }
        bytes = target;
        start += shift;
        position += shift;
        searched += shift;
        this.end = end;
    }

    /// Notes that bytes were appended to the bytes held, which now end at `end`.
    void extend(int end) {
        this.end = end;
    }

    /// Drops the incomplete request and all bytes.
    void clear() {
        wordsLeft = 0;
        bulkLength = UNKNOWN;
        position = end;
        move(NOTHING, 0, 0);
    }

    /// Goes back to `position`, where an array begins, to decode it again.
    void rewind(int position) {
        this.position = position;
        searched = position;
        wordsLeft = 0;
        bulkLength = UNKNOWN;
    }

    /// Decodes the next request.
    Step next(boolean authenticated, int maxBulkLength) {
        // With words left an array goes on where the bytes had ended. Empty requests are skipped as in Redis.
        while (wordsLeft == 0) {
            start = position;
            if (position == end) {
                return Step.INCOMPLETE;
            }
            arguments.begin(bytes);
            Step step = bytes[position] == '*' ? count(authenticated) : line();
            if (step != Step.NOTHING) {
                return step;
            }
        }
        return words(authenticated, maxBulkLength);
    }

    /// As [#next] if an array begins here, else [Step#NOTHING]. An array can be decoded again after [#rewind], a line
    /// cannot, since its words are unquoted in place.
    Step nextArray(boolean authenticated, int maxBulkLength) {
        if (position == end || bytes[position] != '*') {
            return Step.NOTHING;
        }
        start = position;
        arguments.begin(bytes);
        Step step = count(authenticated);
        return wordsLeft == 0 ? step : words(authenticated, maxBulkLength);
    }

    /// Decodes `*N`. An array that is not empty begins.
    private Step count(boolean authenticated) {
        int count = number();
        if (count >= 0 && count <= MAX_WORDS) {
            if (count > MAX_WORDS_UNAUTHENTICATED && !authenticated) {
                return refuse("unauthenticated multibulk length");
            }
            wordsLeft = count;
            bulkLength = UNKNOWN;
            return Step.NOTHING;
        }
        return switch (count) {
            case INCOMPLETE_LINE -> Step.INCOMPLETE;
            case NEGATIVE -> Step.NOTHING;
            case ENDLESS_LINE -> refuse("too big mbulk count string");
            default -> refuse("invalid multibulk length");
        };
    }

    private Step words(boolean authenticated, int maxBulkLength) {
        while (wordsLeft > 0) {
            if (bulkLength == UNKNOWN) {
                Step step = length(authenticated, maxBulkLength);
                if (step != Step.NOTHING) {
                    return step;
                }
            }
            // Nothing checks that the two bytes behind a word are \r\n, as in Redis.
            if (end - position - 2 < bulkLength) {
                return Step.INCOMPLETE;
            }
            arguments.add(position, bulkLength);
            position += bulkLength + 2;
            bulkLength = UNKNOWN;
            wordsLeft--;
        }
        return Step.REQUEST;
    }

    /// Decodes `$N`.
    private Step length(boolean authenticated, int maxBulkLength) {
        int type = position < end ? bytes[position] : '$';
        int length = number();
        // As in Redis the type is checked once the whole line is there, so the error does not depend on how the bytes
        // arrive.
        if (type != '$' && length != INCOMPLETE_LINE && length != ENDLESS_LINE) {
            return refuse("expected '$', got '" + (char) (type & 0xFF) + "'");
        }
        if (length >= 0 && length <= maxBulkLength) {
            if (length > MAX_BULK_UNAUTHENTICATED && !authenticated) {
                return refuse("unauthenticated bulk length");
            }
            bulkLength = length;
            return Step.NOTHING;
        }
        return switch (length) {
            case INCOMPLETE_LINE -> Step.INCOMPLETE;
            case ENDLESS_LINE -> refuse("too big bulk count string");
            default -> refuse("invalid bulk length");
        };
    }

    /// Decodes the number behind the first byte of a line and steps over the line, if it is complete.
    ///
    /// This is the fast path for short numbers, and nearly all are. [#oddNumber] handles everything else: what is not
    /// complete yet, has a sign or leading zeros, or is malformed.
    private int number() {
        int first = position + 1;
        int limit = Math.min(end - 1, first + DIGITS_IN_SHORT_NUMBER + 1);
        int value = 0;
        int at = first;
        while (at < limit && isDigit(bytes[at])) {
            value = value * 10 + (bytes[at++] - '0');
        }
        int digits = at - first;
        boolean isPlain = digits == 1 || (digits > 1 && digits <= DIGITS_IN_SHORT_NUMBER && bytes[first] != '0');
        if (isPlain && at < limit && bytes[at] == '\r') {
            position = at + 2;
            return value;
        }
        return oddNumber();
    }

    private int oddNumber() {
        int limit = Math.min(end, position + MAX_LINE + 1);
        int stop = find((byte) '\r', limit);
        if (stop == limit) {
            return end - position > MAX_LINE ? ENDLESS_LINE : INCOMPLETE_LINE;
        }
        if (stop + 1 == end) {
            return INCOMPLETE_LINE;
        }
        int first = position + 1;
        position = stop + 2;
        return strictNumber(first, stop);
    }

    /// A number by Redis's rules: no sign but a minus, no leading zeros, within 64 bits. A valid number above every
    /// limit counts as malformed.
    private int strictNumber(int from, int to) {
        boolean negative = from < to && bytes[from] == '-';
        int first = negative ? from + 1 : from;
        if (first >= to || to - from > DIGITS_IN_LONGEST_NUMBER) {
            return MALFORMED;
        }
        if (bytes[first] == '0') {
            return to - from == 1 ? 0 : MALFORMED;
        }
        long belowZero = 0;
        for (int i = first; i < to; i++) {
            int digit = bytes[i] - '0';
            if (!isDigit(bytes[i]) || belowZero < (Long.MIN_VALUE + digit) / 10) {
                return MALFORMED;
            }
            belowZero = belowZero * 10 - digit;
        }
        if (negative) {
            return NEGATIVE;
        }
        return belowZero < -Integer.MAX_VALUE ? MALFORMED : (int) -belowZero;
    }

    /// Decodes an inline request.
    private Step line() {
        int limit = Math.min(end, position + MAX_LINE + 1);
        int stop = find((byte) '\n', limit);
        if (stop == limit) {
            return end - position > MAX_LINE ? refuse("too big inline request") : Step.INCOMPLETE;
        }
        int to = stop > position && bytes[stop - 1] == '\r' ? stop - 1 : stop;
        int from = position;
        position = stop + 1;
        if (!InlineWords.split(arguments, from, to)) {
            return refuse("unbalanced quotes in request");
        }
        return arguments.count() == 0 ? Step.NOTHING : Step.REQUEST;
    }

    /// The index of the byte that ends the line, or `limit`. Never searches a byte twice: for a client that sends a
    /// line byte by byte the work would be the square of its length.
    private int find(byte wanted, int limit) {
        int at = Math.max(position, searched);
        while (at < limit && bytes[at] != wanted) {
            at++;
        }
        searched = at;
        return at;
    }

    private Step refuse(String reason) {
        refusal = "ERR Protocol error: " + reason;
        return Step.REFUSED;
    }

    private static boolean isDigit(byte letter) {
        return letter >= '0' && letter <= '9';
    }
}
