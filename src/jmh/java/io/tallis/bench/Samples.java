package io.tallis.bench;

import java.util.List;

/// What one side reached for one metric, round by round; all summaries of no samples are NaN.
record Samples(List<Double> values) {
    boolean isEmpty() {
        return values.isEmpty();
    }

    double min() {
        return values.stream().mapToDouble(Double::doubleValue).min().orElse(Double.NaN);
    }

    double max() {
        return values.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN);
    }

    /// The middle one, or the mean of the middle two.
    double median() {
        if (values.isEmpty()) {
            return Double.NaN;
        }
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
