/// The program `tallis`: its command line, its log and its exit codes.
///
/// Owns arguments, the standard output and the format of log lines. The only package that ends the process.
///
/// Read [Main], then [CommandLineOptions] and [Log].
@NullMarked
package io.tallis.cli;

import org.jspecify.annotations.NullMarked;
