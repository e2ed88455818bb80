package io.tallis.bench;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// The figures of a run as they come in: for each metric and side one sample a round.
final class Results {
    private final Map<Metric, Map<Side, List<Double>>> samples = new LinkedHashMap<>();
    private final List<String> failures = new ArrayList<>();

    /// Adds one sample.
    void add(Metric metric, Side side, double value) {
        samples.computeIfAbsent(metric, _ -> new EnumMap<>(Side.class))
                .computeIfAbsent(side, _ -> new ArrayList<>())
                .add(value);
    }

    /// Notes that something could not be measured or is not to be believed.
    void fail(String measure, String reason) {
        failures.add(measure + ": " + reason);
    }

    List<String> failures() {
        return failures;
    }

    /// All figures, those of one measure together, in the order in which they were first taken.
    List<Figure> figures() {
        Map<String, List<Figure>> byMeasure = new LinkedHashMap<>();
        samples.forEach((metric, bySide) -> byMeasure
                .computeIfAbsent(metric.measure(), _ -> new ArrayList<>())
                .add(new Figure(metric, of(bySide, Side.TALLIS), of(bySide, Side.REDIS))));
        return byMeasure.values().stream().flatMap(List::stream).toList();
    }

    private static Samples of(Map<Side, List<Double>> bySide, Side side) {
        return new Samples(List.copyOf(bySide.getOrDefault(side, List.of())));
    }

    /// Notes as failures what no measurement can have given: a figure that a side lacks, or one that is not above
    /// 0.
    void check(Set<Side> sides) {
        for (Figure figure : figures()) {
            for (Side side : sides) {
                if (!figure.metric().sides().contains(side)) {
                    continue;
                }
                Samples taken = figure.of(side);
                if (taken.isEmpty() || !(taken.min() > 0 && Double.isFinite(taken.max()))) {
                    fail(figure.metric().measure(), figure.metric().point() + ", " + side.title() + ": " + taken);
                }
            }
        }
    }
}
