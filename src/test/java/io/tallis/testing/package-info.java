/// What tests share: properties with replayable seeds, whole servers to talk to, and the refusal of skipped tests.
///
/// Owns nothing that a single test could own. In reading order: `Property`, `Gen`; `LocalServer`, `ServerProcess`,
/// `ClusterPorts`, `MulticastGroup`, `RespSocket`; `NoSkippedTests`.
@NullMarked
package io.tallis.testing;

import org.jspecify.annotations.NullMarked;
