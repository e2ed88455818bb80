package io.tallis.config;

import java.util.Comparator;

/// Finds the setting that a mistyped name was probably meant to be.
final class NearestName {
    private NearestName() {}

    static String of(String typed) {
        return Settings.all().stream()
                .map(Setting::name)
                .min(Comparator.comparingInt(name -> distance(typed, name)))
                .orElseThrow();
    }

    /// How many letters must be inserted, removed or replaced to get from one word to the other.
    static int distance(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[to.length()];
    }
}
