package io.tallis.config;

import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/// Suggests the setting that a mistyped name probably means.
final class NearestName {
    /// A name is suggested if at most one letter in this many is wrong.
    private static final int LETTERS_PER_MISTAKE = 3;

    private NearestName() {}

    /// The nearest name, or null when none is near.
    static @Nullable String of(String typed) {
        String nearest = Settings.all().stream()
                .map(Setting::name)
                .min(Comparator.comparingInt(name -> distance(typed, name)))
                .orElseThrow();
        return distance(typed, nearest) * LETTERS_PER_MISTAKE <= typed.length() + 1 ? nearest : null;
    }

    /// The edit distance: how many insertions, deletions, substitutions and swaps of neighbours turn one word into the
    /// other.
    static int distance(String from, String to) {
        int[] before = new int[to.length() + 1];
        int[] above = new int[to.length() + 1];
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int[] free = before;
            before = above;
            above = row;
            row = free;
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = above[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, Math.min(above[j], row[j - 1]) + 1);
                if (swapped(from, i, to, j)) {
                    row[j] = Math.min(row[j], before[j - 2] + 1);
                }
            }
        }
        return row[to.length()];
    }

    private static boolean swapped(String from, int i, String to, int j) {
        return i > 1 && j > 1 && from.charAt(i - 1) == to.charAt(j - 2) && from.charAt(i - 2) == to.charAt(j - 1);
    }
}
