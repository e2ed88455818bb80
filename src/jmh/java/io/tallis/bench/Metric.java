package io.tallis.bench;

import java.util.Set;

/// What a figure says: which measure it comes from, under which conditions it was taken, in which unit, of whom.
record Metric(String measure, String point, String unit, Floor floor, Set<Side> sides) {
    Metric(String measure, String point, String unit) {
        this(measure, point, unit, Floor.NONE);
    }

    Metric(String measure, String point, String unit, Floor floor) {
        this(measure, point, unit, floor, Set.of(Side.values()));
    }

    /// What Redis has no counterpart of.
    static Metric ofTallis(String measure, String point, String unit, Floor floor) {
        return new Metric(measure, point, unit, floor, Set.of(Side.TALLIS));
    }
}
