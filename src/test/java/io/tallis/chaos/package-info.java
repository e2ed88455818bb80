/// Faults in a real cluster under load, with checks that no acknowledged change is lost or counted twice.
///
/// Clients record each request and its reply. Meanwhile nodes are killed, stopped, frozen and partitioned, and lose
/// their data. In the end all nodes have to agree, and each counter has to have a value that the recorded requests
/// allow. The seed determines the faults, the machine their timing. In reading order: [Chaos], [ChaosRun],
/// [FaultInjector], [QuietPhase], [PurgePhase], [Operator], [ChaosCluster], [ChaosNode], [Network], [Load], [Ledger],
/// [History], [Window], [WaitProof]; and [AgeingRun].
@NullMarked
package io.tallis.chaos;

import org.jspecify.annotations.NullMarked;
