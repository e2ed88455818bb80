/// `GCOUNT` and `PNCOUNT`: the commands for our own types, which show all of their range and who contributed what.
///
/// Read [CounterCommands], which says what there is.
@NullMarked
package io.tallis.command.counter;

import org.jspecify.annotations.NullMarked;
