/// Random commands, sent to a node and to a Redis, whose replies and keys must be equal.
///
/// `scripts/fuzz-replies` runs [FuzzRun] beside the two servers. What Tallis does otherwise on purpose is listed in
/// [Difference]. In reading order: [FuzzRun], [Duel], [Comparison], [Difference], then what is sent: [StepMaker],
/// [RequestMaker], [ScriptMaker], [Vocabulary]; and [Shrinker], which looks for the few steps that matter.
@NullMarked
package io.tallis.fuzz;

import org.jspecify.annotations.NullMarked;
