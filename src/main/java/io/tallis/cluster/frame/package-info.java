/// One message between sessions: its form ([io.tallis.cluster.frame.Frame]), its kinds, the sender that makes it, the
/// pace at which it may leave, and the port ([io.tallis.cluster.frame.Transport]) that carries it.
///
/// Owns the layout of a frame's head; the bodies belong to the parts that send them. Used by the replicator's thread.
@NullMarked
package io.tallis.cluster.frame;

import org.jspecify.annotations.NullMarked;
