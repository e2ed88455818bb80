/// What can happen, counted.
///
/// A leaf: everything may count here, and nothing here knows what it counts for. What happens often is counted by
/// each thread for itself and summed when somebody asks.
@NullMarked
package io.tallis.metrics;

import org.jspecify.annotations.NullMarked;
