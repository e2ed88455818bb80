/// Redis's commands for hashes, and `HCOUNT`: hashes whose fields are counters, or values that were assigned. And its
/// commands for sorted sets, which are hashes whose fields are read in the order of their values.
///
/// Read [HashCommands], which lists the families, then [io.tallis.keyspace.Hashes]; for sorted sets
/// [SortedSetCommands], [ScoreChanges] and [io.tallis.keyspace.Ranking].
@NullMarked
package io.tallis.command.hash;

import org.jspecify.annotations.NullMarked;
