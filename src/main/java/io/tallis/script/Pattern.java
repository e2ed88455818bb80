package io.tallis.script;

import java.util.Arrays;

/// Matches a pattern of Lua against a string. Each comparison of a letter costs a step, so that no pattern takes long.
final class Pattern {
    private static final int MOST_CAPTURES = 32;
    private static final int MOST_DEPTH = 200;
    private static final int UNFINISHED = -1;
    private static final int POSITION = -2;
    private static final int NONE = -1;
    private static final char ESCAPE = '%';

    private final Machine machine;
    private final byte[] source;
    private final byte[] pattern;
    private final int[] starts = new int[MOST_CAPTURES];
    private final int[] lengths = new int[MOST_CAPTURES];
    private int captures;
    private int depth;

    Pattern(Machine machine, byte[] source, byte[] pattern) {
        this.machine = machine;
        this.source = source;
        this.pattern = pattern;
    }

    /// Matches the pattern, from a position in it, at a position of the source. Returns the end of the match or -1.
    int matchAt(int at, int from) {
        captures = 0;
        depth = 0;
        return match(at, from);
    }

    int captures() {
        return captures;
    }

    /// What was captured; the whole match from `start` to `end` if there are no captures and `number` is 0.
    LuaValue capture(int number, int start, int end) {
        if (number >= captures) {
            if (number == 0) {
                return part(start, end);
            }
            throw new LuaError("invalid capture index");
        }
        if (lengths[number] == UNFINISHED) {
            throw new LuaError("unfinished capture");
        }
        return lengths[number] == POSITION
                ? LuaNumber.of(starts[number] + 1)
                : part(starts[number], starts[number] + lengths[number]);
    }

    private LuaString part(int from, int to) {
        machine.chargeBytes(to - from);
        return LuaString.of(Arrays.copyOfRange(source, from, to));
    }

    /// All captures, or the whole match if there are none.
    LuaValue[] all(int start, int end, boolean wholeIfNone) {
        int count = captures == 0 && wholeIfNone ? 1 : captures;
        LuaValue[] values = new LuaValue[count];
        for (int i = 0; i < count; i++) {
            values[i] = capture(i, start, end);
        }
        return values;
    }

    private int match(int from, int pFrom) {
        if (++depth > MOST_DEPTH) {
            throw new LuaError("pattern too complex");
        }
        try {
            return matchHere(from, pFrom);
        } finally {
            depth--;
        }
    }

    private int matchHere(int from, int pFrom) {
        int s = from;
        int p = pFrom;
        while (p < pattern.length) {
            machine.step();
            switch (pattern[p]) {
                case '(' -> {
                    boolean isPosition = p + 1 < pattern.length && pattern[p + 1] == ')';
                    return isPosition ? startCapture(s, p + 2, POSITION) : startCapture(s, p + 1, UNFINISHED);
                }
                case ')' -> {
                    return endCapture(s, p + 1);
                }
                case '$' -> {
                    if (p + 1 == pattern.length) {
                        return s == source.length ? s : NONE;
                    }
                }
                case ESCAPE -> {
                    int next = p + 1 < pattern.length ? pattern[p + 1] : 0;
                    if (next == 'b') {
                        s = matchBalance(s, p + 2);
                        if (s == NONE) {
                            return NONE;
                        }
                        p += 4;
                        continue;
                    }
                    if (next == 'f') {
                        p = frontier(s, p + 2);
                        if (p == NONE) {
                            return NONE;
                        }
                        continue;
                    }
                    if (Letters.isDigit(next)) {
                        s = matchCapture(s, next);
                        if (s == NONE) {
                            return NONE;
                        }
                        p += 2;
                        continue;
                    }
                }
                default -> {}
            }
            int end = classEnd(p);
            char suffix = end < pattern.length ? (char) pattern[end] : 0;
            switch (suffix) {
                case '?' -> {
                    if (matchesOne(s, p, end)) {
                        int result = match(s + 1, end + 1);
                        if (result != NONE) {
                            return result;
                        }
                    }
                    p = end + 1;
                }
                case '*' -> {
                    return expandMost(s, p, end);
                }
                case '+' -> {
                    return matchesOne(s, p, end) ? expandMost(s + 1, p, end) : NONE;
                }
                case '-' -> {
                    return expandLeast(s, p, end);
                }
                default -> {
                    if (!matchesOne(s, p, end)) {
                        return NONE;
                    }
                    s++;
                    p = end;
                }
            }
        }
        return s;
    }

    private int startCapture(int s, int p, int kind) {
        if (captures >= MOST_CAPTURES) {
            throw new LuaError("too many captures");
        }
        starts[captures] = s;
        lengths[captures] = kind;
        captures++;
        int result = match(s, p);
        if (result == NONE) {
            captures--;
        }
        return result;
    }

    private int endCapture(int s, int p) {
        int number = captures - 1;
        while (number >= 0 && lengths[number] != UNFINISHED) {
            number--;
        }
        if (number < 0) {
            throw new LuaError("invalid pattern capture");
        }
        lengths[number] = s - starts[number];
        int result = match(s, p);
        if (result == NONE) {
            lengths[number] = UNFINISHED;
        }
        return result;
    }

    private int matchBalance(int s, int p) {
        if (p + 1 >= pattern.length) {
            throw new LuaError("unbalanced pattern");
        }
        if (s >= source.length || source[s] != pattern[p]) {
            return NONE;
        }
        int level = 1;
        for (int at = s + 1; at < source.length; at++) {
            machine.step();
            if (source[at] == pattern[p + 1]) {
                if (--level == 0) {
                    return at + 1;
                }
            } else if (source[at] == pattern[p]) {
                level++;
            }
        }
        return NONE;
    }

    /// `%f[set]`: returns where the pattern goes on, or -1.
    private int frontier(int s, int p) {
        if (p >= pattern.length || pattern[p] != '[') {
            throw new LuaError("missing '[' after '" + ESCAPE + "f' in pattern");
        }
        int end = classEnd(p);
        int before = s == 0 ? 0 : source[s - 1] & 0xFF;
        int here = s < source.length ? source[s] & 0xFF : 0;
        return !isInSet(before, p, end - 1) && isInSet(here, p, end - 1) ? end : NONE;
    }

    private int matchCapture(int s, int digit) {
        int number = digit - '1';
        if (number < 0 || number >= captures || lengths[number] == UNFINISHED) {
            throw new LuaError("invalid capture index");
        }
        int length = Math.max(0, lengths[number]);
        machine.charge(length / Machine.BYTES_PER_STEP);
        int from = starts[number];
        boolean isSame =
                source.length - s >= length && Arrays.equals(source, from, from + length, source, s, s + length);
        return isSame ? s + length : NONE;
    }

    private int expandMost(int s, int p, int end) {
        int count = 0;
        while (matchesOne(s + count, p, end)) {
            count++;
        }
        while (count >= 0) {
            int result = match(s + count, end + 1);
            if (result != NONE) {
                return result;
            }
            count--;
        }
        return NONE;
    }

    private int expandLeast(int from, int p, int end) {
        int s = from;
        while (true) {
            int result = match(s, end + 1);
            if (result != NONE) {
                return result;
            }
            if (!matchesOne(s, p, end)) {
                return NONE;
            }
            s++;
        }
    }

    private int classEnd(int from) {
        int p = from;
        int letter = pattern[p++];
        if (letter == ESCAPE) {
            if (p >= pattern.length) {
                throw new LuaError("malformed pattern (ends with '%')");
            }
            return p + 1;
        }
        if (letter != '[') {
            return p;
        }
        if (p < pattern.length && pattern[p] == '^') {
            p++;
        }
        do {
            if (p >= pattern.length) {
                throw new LuaError("malformed pattern (missing ']')");
            }
            if (pattern[p++] == ESCAPE && p < pattern.length) {
                p++;
            }
        } while (p >= pattern.length || pattern[p] != ']');
        machine.charge((p - from) / 4);
        return p + 1;
    }

    private boolean matchesOne(int s, int p, int end) {
        machine.step();
        if (s >= source.length) {
            return false;
        }
        int letter = source[s] & 0xFF;
        return switch (pattern[p]) {
            case '.' -> true;
            case ESCAPE -> isInClass(letter, pattern[p + 1] & 0xFF);
            case '[' -> isInSet(letter, p, end - 1);
            default -> pattern[p] == source[s];
        };
    }

    /// Whether a letter is in the set whose brackets are at `from` and `to`.
    private boolean isInSet(int letter, int from, int to) {
        machine.charge((to - from) / 4);
        int p = from + 1;
        boolean isNegated = pattern[p] == '^';
        p += isNegated ? 1 : 0;
        while (p < to) {
            if (pattern[p] == ESCAPE) {
                p++;
                if (isInClass(letter, pattern[p] & 0xFF)) {
                    return !isNegated;
                }
                p++;
            } else if (p + 2 < to && pattern[p + 1] == '-') {
                if ((pattern[p] & 0xFF) <= letter && letter <= (pattern[p + 2] & 0xFF)) {
                    return !isNegated;
                }
                p += 3;
            } else {
                if ((pattern[p] & 0xFF) == letter) {
                    return !isNegated;
                }
                p++;
            }
        }
        return isNegated;
    }

    private static boolean isInClass(int letter, int kind) {
        boolean isNegated = Letters.isUpper(kind);
        boolean is;
        switch (Letters.lower((byte) kind)) {
            case 'a' -> is = Letters.isAlpha(letter);
            case 'c' -> is = Letters.isControl(letter);
            case 'd' -> is = Letters.isDigit(letter);
            case 'l' -> is = Letters.isLower(letter);
            case 'p' -> is = Letters.isPunctuation(letter);
            case 's' -> is = Letters.isSpace(letter);
            case 'u' -> is = Letters.isUpper(letter);
            case 'w' -> is = Letters.isAlphanumeric(letter);
            case 'x' -> is = Letters.digit(letter) >= 0 && Letters.digit(letter) < 16;
            case 'z' -> is = letter == 0;
            default -> {
                return kind == letter;
            }
        }
        return is != isNegated;
    }
}
