/// Keyspace notifications: messages about what becomes of keys, for clients that subscribe to them.
///
/// Owns the thread `notify`, which tells what other nodes changed. What clients of this node change is reported by the
/// commands ([io.tallis.command.KeyEvents]) and published on their event loop. Start with [Notifications].
@NullMarked
package io.tallis.command.notifications;

import org.jspecify.annotations.NullMarked;
