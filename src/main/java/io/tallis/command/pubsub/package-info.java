/// Publish and subscribe, on this node only.
///
/// Owns the index of channels and their subscribers. The subscriptions of one client are part of the client
/// ([io.tallis.command.Subscriptions]).
@NullMarked
package io.tallis.command.pubsub;

import org.jspecify.annotations.NullMarked;
