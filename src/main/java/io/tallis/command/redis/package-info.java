/// Redis's commands for strings and keys, as far as they make sense for counters, so that ordinary clients can count.
///
/// They act on the PNCOUNT of a key. Commands that read or delete also see its GCOUNT; commands that change a value
/// reply `WRONGTYPE` when the key has only a GCOUNT.
///
/// Read [RedisCommands], which lists the families, then [KeyValues].
@NullMarked
package io.tallis.command.redis;

import org.jspecify.annotations.NullMarked;
