package io.tallis.command;

/// A glob pattern with Redis's syntax: `*`, `?`, `[abc]`, `[a-z]`, `[^a]`, and `\` before a literal character.
///
/// Matching takes at most pattern length times text length steps, whatever the pattern: after a mismatch only the last
/// `*` is extended. Extending an earlier one could never match more.
public final class Glob {
    private final byte[] pattern;

    public Glob(byte[] pattern) {
        this.pattern = pattern.clone();
    }

    public boolean matches(byte[] text) {
        return matches(text, 0, text.length);
    }

    public boolean matches(byte[] text, int offset, int length) {
        int end = offset + length;
        int at = offset;
        int in = 0;
        int star = -1;
        int starAt = 0;
        while (at < end || in < pattern.length) {
            if (in < pattern.length && pattern[in] == '*') {
                star = in++;
                starAt = at;
            } else if (at < end && in < pattern.length && matchesOne(in, text[at])) {
                in = next(in);
                at++;
            } else if (star >= 0 && starAt < end) {
                in = star + 1;
                at = ++starAt;
            } else {
                return false;
            }
        }
        return true;
    }

    /// Whether the pattern element at `in` matches this character.
    private boolean matchesOne(int in, byte letter) {
        return switch (pattern[in]) {
            case '?' -> true;
            case '[' -> inClass(in + 1, letter);
            case '\\' -> pattern[in + 1 < pattern.length ? in + 1 : in] == letter;
            default -> pattern[in] == letter;
        };
    }

    private boolean inClass(int in, byte letter) {
        boolean negated = in < pattern.length && pattern[in] == '^';
        int end = classEnd(negated ? in + 1 : in);
        boolean found = false;
        for (int i = negated ? in + 1 : in; i < end; i = nextInClass(i)) {
            if (isRange(i)) {
                int low = Math.min(pattern[i] & 0xFF, pattern[i + 2] & 0xFF);
                int high = Math.max(pattern[i] & 0xFF, pattern[i + 2] & 0xFF);
                found |= (letter & 0xFF) >= low && (letter & 0xFF) <= high;
            } else {
                found |= pattern[isEscape(i) ? i + 1 : i] == letter;
            }
        }
        return found != negated;
    }

    /// The index of the `]` of the class that begins at `in`, or the end of the pattern.
    private int classEnd(int in) {
        int end = in;
        while (end < pattern.length && pattern[end] != ']') {
            end = nextInClass(end);
        }
        return end;
    }

    private int nextInClass(int in) {
        return in + (isEscape(in) ? 2 : isRange(in) ? 3 : 1);
    }

    private boolean isEscape(int in) {
        return pattern[in] == '\\' && in + 1 < pattern.length;
    }

    /// As in Redis, a range may end with the `]` that seems to close the class.
    private boolean isRange(int in) {
        return !isEscape(in) && in + 2 < pattern.length && pattern[in + 1] == '-';
    }

    private int next(int in) {
        return switch (pattern[in]) {
            case '\\' -> Math.min(in + 2, pattern.length);
            case '[' -> {
                int body = in + 1;
                int first = body < pattern.length && pattern[body] == '^' ? body + 1 : body;
                yield Math.min(classEnd(first) + 1, pattern.length);
            }
            default -> in + 1;
        };
    }
}
