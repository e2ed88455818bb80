/// The command line: what an operator types, and what it answers to him.
///
/// Owns arguments, exit codes, the standard output and the form of the log. Only here does the process end itself.
@NullMarked
package io.tallis.cli;

import org.jspecify.annotations.NullMarked;
