/// A simulation of a whole cluster in one thread, with a clock, a network and disks of its own, from one seed.
///
/// Runs the product's replicator and keyspaces; everything around them is simulated and fails in all the ways that the
/// world does. Every change of a cell is checked against [History], which says what counters are worth from what
/// clients did. In reading order: [Simulation], [World], [Session], [History], then [Network], [Disk], [TroubleMaker].
@NullMarked
package io.tallis.sim;

import org.jspecify.annotations.NullMarked;
