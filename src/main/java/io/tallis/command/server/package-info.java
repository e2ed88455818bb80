/// Commands about the node: `INFO`, `CONFIG`, `MEMORY`, `LATENCY`, `SLOWLOG`, backups, flushing, shutdown, `DEBUG`.
///
/// Owns the model of `INFO` ([InfoSection], [InfoField]) and its rendering ([Info]); the sections come from the parts
/// of the server. What the commands act on comes through ports: [Backups], [Configuration], [Later],
/// [MemoryUse.Source], [ShutdownCommand.Lifecycle].
@NullMarked
package io.tallis.command.server;

import org.jspecify.annotations.NullMarked;
