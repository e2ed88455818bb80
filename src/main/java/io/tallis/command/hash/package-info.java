/// Redis's commands for hashes, and `HCOUNT`: hashes whose fields are counters, or values that were assigned.
///
/// Read [HashCommands], which lists the families, then [io.tallis.keyspace.Hashes].
@NullMarked
package io.tallis.command.hash;

import org.jspecify.annotations.NullMarked;
