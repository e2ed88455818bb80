package io.tallis.config;

import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/// Finds the setting that a mistyped name was probably meant to be.
final class NearestName {
    /// One mistake in so many letters is taken for a slip.
    private static final int LETTERS_A_SLIP = 3;

    private NearestName() {}

    /// Null when no setting has a name like it.
    static @Nullable String of(String typed) {
        String nearest = Settings.all().stream()
                .map(Setting::name)
                .min(Comparator.comparingInt(name -> distance(typed, name)))
                .orElseThrow();
        return distance(typed, nearest) * LETTERS_A_SLIP <= typed.length() + 1 ? nearest : null;
    }

    /// How many letters must be inserted, removed, replaced, or swapped with the next, to get from one word to the
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
