/// `GCOUNT` and `PNCOUNT`: the commands for the two types of counters, with their full range and the contributions of
/// each node.
///
/// Read [CounterCommands], which lists the commands.
@NullMarked
package io.tallis.command.counter;

import org.jspecify.annotations.NullMarked;
