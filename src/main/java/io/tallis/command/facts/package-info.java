/// The facts of the commands: names, arity, flags, key positions, documentation.
///
/// Owns `commands.txt` and its parser. Arity checks, `COMMAND`, the `HELP` subcommands and the reference page are all
/// derived from these facts; what a command does is not known here. Immutable after the start.
///
/// Read [CommandSpec], then [CommandFacts].
@NullMarked
package io.tallis.command.facts;

import org.jspecify.annotations.NullMarked;
