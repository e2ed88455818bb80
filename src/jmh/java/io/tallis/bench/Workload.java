package io.tallis.bench;

import java.util.List;

/// What clients ask for, in the words of each side.
///
/// @param adds what one request adds to the sum of all counters
record Workload(String title, int adds, List<String> tallis, List<String> redis) {
    /// Stands for the key in the words.
    private static final String KEY = "{key}";

    static final Workload INCRBY = same("INCRBY", 1, List.of("INCRBY", KEY, "1"));
    static final Workload PNCOUNT_INC =
            new Workload("PNCOUNT INC", 1, List.of("PNCOUNT", "INC", KEY, "1"), List.of("INCRBY", KEY, "1"));
    static final Workload GET = same("GET", 0, List.of("GET", KEY));

    private static Workload same(String title, int adds, List<String> words) {
        return new Workload(title, adds, words, words);
    }

    /// The request's words, with `key` in the key's place.
    List<String> words(Side side, String key) {
        List<String> words = side == Side.TALLIS ? tallis : redis;
        return words.stream().map(word -> word.equals(KEY) ? key : word).toList();
    }
}
