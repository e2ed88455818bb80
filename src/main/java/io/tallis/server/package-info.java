/// The composition root: builds all parts, starts them in order, stops them in reverse.
///
/// Owns the wiring of parts, the identity of the node, the `INFO` sections that need several parts, and the metrics.
/// Nothing here is on the hot path.
///
/// In reading order: [TallisServer], [PartSettings], [Persistence], [Membership], [NodeSections].
@NullMarked
package io.tallis.server;

import org.jspecify.annotations.NullMarked;
