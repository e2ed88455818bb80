/// What the world supplies: time, randomness, threads, the sync of directories, and the check that stops a component
/// of ours that is wrong.
///
/// A leaf: everything may use it and it uses nothing of ours. Only here does the product read a clock, ask for
/// random bits or make a thread, so that a test or a simulation can supply others.
@NullMarked
package io.tallis.runtime;

import org.jspecify.annotations.NullMarked;
