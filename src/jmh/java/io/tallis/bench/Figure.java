package io.tallis.bench;

/// A metric with what both sides reached.
record Figure(Metric metric, Samples tallis, Samples redis) {
    Samples of(Side side) {
        return side == Side.TALLIS ? tallis : redis;
    }

    /// The median of Tallis by the median of Redis; NaN when one is missing.
    double ratio() {
        return tallis.median() / redis.median();
    }

    boolean floorMet() {
        return metric.floor().isMet(tallis.median(), ratio());
    }
}
