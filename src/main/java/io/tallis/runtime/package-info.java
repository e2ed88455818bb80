/// The environment of the process: clocks, randomness, threads, durable directories and files, and invariant checks.
///
/// A leaf package: all others may use it, and it uses none of them. The only package that reads a clock, asks for
/// random bits or creates a thread, so that tests and the simulator can replace them.
@NullMarked
package io.tallis.runtime;

import org.jspecify.annotations.NullMarked;
