package io.tallis.bench;

import java.util.List;
import java.util.Locale;

/// The figures for people: medians, in brackets the lowest and highest sample, and Tallis divided by Redis.
final class Table {
    private Table() {}

    /// With verdicts on the floors, if they are worth one.
    static String of(List<Figure> figures, boolean judged) {
        StringBuilder table = new StringBuilder();
        table.append(row("measure", "point", "unit", "Tallis", "Redis", "ratio", "floor", ""));
        for (Figure figure : figures) {
            table.append(row(figure, judged ? verdict(figure) : ""));
        }
        return table.toString();
    }

    private static String row(Figure figure, String verdict) {
        Metric metric = figure.metric();
        return row(
                metric.measure(),
                metric.point(),
                metric.unit(),
                summary(figure.tallis()),
                summary(figure.redis()),
                Double.isNaN(figure.ratio()) ? "-" : String.format(Locale.ROOT, "%.2f", figure.ratio()),
                metric.floor().toString(),
                verdict);
    }

    private static String verdict(Figure figure) {
        Floor floor = figure.metric().floor();
        boolean known = !figure.tallis().isEmpty()
                && (!floor.isOfRatio() || !figure.redis().isEmpty());
        if (!floor.isThere() || !known) {
            return "";
        }
        return figure.floorMet() ? "met" : "NOT MET";
    }

    private static String row(Object... cells) {
        return String.format(Locale.ROOT, "%-12s%-28s%-9s%-26s%-26s%8s  %-15s%s%n", cells)
                .replaceAll(" +(?=\\R$)", "");
    }

    private static String summary(Samples samples) {
        if (samples.isEmpty()) {
            return "-";
        }
        return number(samples.median()) + " (" + number(samples.min()) + "-" + number(samples.max()) + ")";
    }

    /// Three digits that count, or all digits before the point.
    private static String number(double value) {
        double size = Math.abs(value);
        String format = size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : size >= 1 ? "%.2f" : "%.3f";
        return String.format(Locale.ROOT, format, value);
    }
}
