package io.tallis.metrics;

import java.math.BigDecimal;
import java.util.Arrays;

/// A page of metrics in Prometheus's text format, version 0.0.4:
///
///     # HELP tallis_nodes Nodes of the cluster, by state.
///     # TYPE tallis_nodes gauge
///     tallis_nodes{state="ready"} 3
///
/// A metric has a name, a type, a sentence of help, and samples, which differ by their labels. One that has no samples
/// at present is shown all the same, so that a page names all metrics. Belongs to one thread.
public final class Exposition {
    /// Above this a double does not hold each integer.
    private static final double LARGEST_INTEGER = 1L << 53;

    private final StringBuilder page = new StringBuilder(1 << 16);

    /// A value that may go down.
    public void gauge(String name, String help, double value) {
        gauge(name, help).add(value);
    }

    public void gauge(String name, String help, long value) {
        gauge(name, help).add(value);
    }

    /// 1 or 0.
    public void flag(String name, String help, boolean value) {
        gauge(name, help, value ? 1 : 0);
    }

    public Metric gauge(String name, String help) {
        return new Metric(name, "gauge", help);
    }

    /// A value that only grows, until the process ends or somebody resets it. Its name ends with `_total`.
    public void counter(String name, String help, double value) {
        counter(name, help).add(value);
    }

    public void counter(String name, String help, long value) {
        counter(name, help).add(value);
    }

    public Metric counter(String name, String help) {
        return new Metric(name, "counter", help);
    }

    public void histogram(String name, String help, DurationHistogram durations) {
        Metric metric = new Metric(name, "histogram", help);
        long count = 0;
        for (int bucket = 0; bucket < durations.buckets(); bucket++) {
            count += durations.count(bucket);
            metric.sample("_bucket", Long.toString(count), "le", text(DurationHistogram.boundSeconds(bucket)));
        }
        metric.end(count + durations.count(durations.buckets()), durations.seconds());
    }

    public Metric histogram(String name, String help) {
        return new Metric(name, "histogram", help);
    }

    /// Counts and sums, without quantiles.
    public Metric summary(String name, String help) {
        return new Metric(name, "summary", help);
    }

    /// A metric whose samples follow; those of the next must not be mixed with them.
    public final class Metric {
        private final String name;

        private Metric(String name, String type, String help) {
            this.name = name;
            page.append("# HELP ").append(name).append(' ');
            escape(help, false);
            page.append("\n# TYPE ").append(name).append(' ').append(type).append('\n');
        }

        /// A sample with these labels, each a name and a value.
        public Metric add(double value, String... labels) {
            return sample("", text(value), labels);
        }

        public Metric add(long value, String... labels) {
            return sample("", Long.toString(value), labels);
        }

        /// Of a summary.
        public Metric add(long count, double sum, String... labels) {
            return sample("_count", Long.toString(count), labels).sample("_sum", text(sum), labels);
        }

        /// Of a histogram: the durations of a command in microseconds, with bounds that are powers of two up to about a
        /// second. `sum` is the time of all calls.
        public Metric addMicros(LatencyHistogram durations, double sum, String label, String labelValue) {
            for (long micros = 1; micros <= 1 << 20; micros <<= 1) {
                sample(
                        "_bucket",
                        Long.toString(durations.atMost(micros * 1000)),
                        label,
                        labelValue,
                        "le",
                        Long.toString(micros));
            }
            return end(durations.total(), sum, label, labelValue);
        }

        private Metric end(long count, double sum, String... labels) {
            String[] all = Arrays.copyOf(labels, labels.length + 2);
            all[labels.length] = "le";
            all[labels.length + 1] = "+Inf";
            return sample("_bucket", Long.toString(count), all).add(count, sum, labels);
        }

        private Metric sample(String suffix, String value, String... labels) {
            page.append(name).append(suffix);
            for (int i = 0; i < labels.length; i += 2) {
                page.append(i == 0 ? '{' : ',').append(labels[i]).append("=\"");
                escape(labels[i + 1], true);
                page.append('"');
            }
            page.append(labels.length == 0 ? " " : "} ").append(value).append('\n');
            return this;
        }
    }

    private static String text(double value) {
        if (value == Math.rint(value) && Math.abs(value) < LARGEST_INTEGER) {
            return Long.toString((long) value);
        }
        return Double.isFinite(value)
                ? BigDecimal.valueOf(value).stripTrailingZeros().toPlainString()
                : Double.toString(value).replace("Infinity", "Inf");
    }

    private void escape(String text, boolean isQuoted) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '\\' -> page.append("\\\\");
                case '\n' -> page.append("\\n");
                case '"' -> page.append(isQuoted ? "\\\"" : "\"");
                default -> page.append(c);
            }
        }
    }

    /// The page so far.
    @Override
    public String toString() {
        return page.toString();
    }
}
