/// Commands about the node itself: what it is doing, how it is set, what it keeps, when it stops.
///
/// Owns these commands and the form of their answers. What they tell comes from the parts themselves, each through
/// an [InfoSection]; what they do goes through the ports [Configuration], [Backups] and [Lifecycle].
@NullMarked
package io.tallis.command.server;

import org.jspecify.annotations.NullMarked;
