/// Real nodes under load, with all the trouble that can be made for them, under a seed.
///
/// Clients note what they sent and what was acknowledged; meanwhile nodes are killed, stopped, frozen, cut off from
/// each other and deprived of their data. In the end all must agree, and every counter must be worth what clients know.
/// The seed decides what is tried, the machine when. In reading order: [Chaos], [ChaosRun], [TroubleMaker], [Truce],
/// [ChaosNode], [Network], [Load], [Ledger].
@NullMarked
package io.tallis.chaos;

import org.jspecify.annotations.NullMarked;
