/// Tests of counters and histograms.
@NullMarked
package io.tallis.metrics;

import org.jspecify.annotations.NullMarked;
