/// The composition root: builds all parts, starts them in order, stops them in reverse.
///
/// Owns which part knows which, what a node is called, and what no part can tell of itself alone. Everything here
/// happens once, or rarely.
///
/// Read [TallisServer], then [PartSettings] and [NodeSections].
@NullMarked
package io.tallis.server;

import org.jspecify.annotations.NullMarked;
