/// Redis's own commands, as far as they make sense for counters, so that ordinary clients count without knowing us.
///
/// They act on the PNCOUNT of a key. Those that read or delete also know its GCOUNT; those that change a value
/// answer `WRONGTYPE` where only a GCOUNT has the key.
///
/// Read [RedisCommands], which says what there is.
@NullMarked
package io.tallis.command.redis;

import org.jspecify.annotations.NullMarked;
