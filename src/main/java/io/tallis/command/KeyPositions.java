package io.tallis.command;

/// Which words of a request are keys: from `first` to `last` (negative: from the end), every `step`-th. All 0 when
/// none is.
public record KeyPositions(int first, int last, int step) {
    static final KeyPositions NONE = new KeyPositions(0, 0, 0);
}
