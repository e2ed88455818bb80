/// Counters and histograms of events, and the text format of Prometheus ([Exposition]).
///
/// A leaf: every package may count here, and this package knows nothing of them. Frequent events are counted by each
/// thread in a recorder of its own; the recorders are summed when the figures are read.
@NullMarked
package io.tallis.metrics;

import org.jspecify.annotations.NullMarked;
