/// Redis's commands for strings and keys, so that ordinary clients can count, keep values beside their counts, and let
/// both expire.
///
/// They act on the PNCOUNT of a key. Commands that read, delete or expire also see its GCOUNT; commands that change a
/// value reply `WRONGTYPE` when the key has only a GCOUNT.
///
/// Read [RedisCommands], which lists the families, then [Value] and [Assignments].
@NullMarked
package io.tallis.command.redis;

import org.jspecify.annotations.NullMarked;
