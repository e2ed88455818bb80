/// Watchers: clients that are told when counters change. What they watch, what changed, when they are told.
///
/// Owns the thread `watch`. Knows no connection and no form in which changes are told: [Watching] gets both as
/// interfaces. Reads cells only.
@NullMarked
package io.tallis.watch;

import org.jspecify.annotations.NullMarked;
