package io.tallis.bench;

/// What a figure says: which measure it comes from, under which conditions it was taken, in which unit.
record Metric(String measure, String point, String unit, Floor floor) {
    Metric(String measure, String point, String unit) {
        this(measure, point, unit, Floor.NONE);
    }
}
