package io.tallis.bench;

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;

/// What a figure should reach at least.
record Floor(Kind kind, double bound) {
    /// There is no such goal for this figure.
    static final Floor NONE = new Floor(Kind.NONE, 0);

    private static final DecimalFormatSymbols POINT = DecimalFormatSymbols.getInstance(Locale.ROOT);

    /// What is compared with the bound, and how.
    enum Kind {
        NONE(""),
        RATIO_AT_LEAST("ratio >= "),
        RATIO_AT_MOST("ratio <= "),
        VALUE_AT_LEAST("value >= "),
        VALUE_AT_MOST("value <= ");

        private final String text;

        Kind(String text) {
            this.text = text;
        }
    }

    static Floor ratioAtLeast(double bound) {
        return new Floor(Kind.RATIO_AT_LEAST, bound);
    }

    static Floor ratioAtMost(double bound) {
        return new Floor(Kind.RATIO_AT_MOST, bound);
    }

    static Floor valueAtLeast(double bound) {
        return new Floor(Kind.VALUE_AT_LEAST, bound);
    }

    static Floor valueAtMost(double bound) {
        return new Floor(Kind.VALUE_AT_MOST, bound);
    }

    boolean isThere() {
        return kind != Kind.NONE;
    }

    /// Whether it takes both sides to tell.
    boolean isOfRatio() {
        return kind == Kind.RATIO_AT_LEAST || kind == Kind.RATIO_AT_MOST;
    }

    /// Whether the figure is good enough; a ratio that is not there (NaN) never is.
    boolean isMet(double value, double ratio) {
        return switch (kind) {
            case NONE -> true;
            case RATIO_AT_LEAST -> ratio >= bound;
            case RATIO_AT_MOST -> ratio <= bound;
            case VALUE_AT_LEAST -> value >= bound;
            case VALUE_AT_MOST -> value <= bound;
        };
    }

    @Override
    public String toString() {
        return kind == Kind.NONE ? "" : kind.text + new DecimalFormat("#.##", POINT).format(bound);
    }
}
