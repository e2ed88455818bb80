package io.tallis.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/// Nothing is made out of serialised objects that reach the cluster's port, nor of others unless an operator wants it.
final class PrecautionsIT {
    @Test
    void serialisedObject_isMadeByNobody() throws Exception {
        List<String> told = Child.run(SerialisationProbe.class, List.of()).requireSuccess();

        assertThat(told).contains(SerialisationProbe.LISTENING).anyMatch(line -> line.contains("REJECTED"));
        assertThat(told).noneMatch(line -> line.startsWith(Trap.SPRUNG));
    }

    /// The network is no place for it whatever the operator needs it for.
    @Test
    void serialisedObject_whereTheOperatorAllowsThem_isNotMadeOfWhatTheNetworkBrings() throws Exception {
        List<String> told = Child.run(SerialisationProbe.class, List.of("-Djdk.serialFilter=*"))
                .requireSuccess();

        assertThat(told).contains(SerialisationProbe.LISTENING);
        assertThat(told)
                .filteredOn(line -> line.startsWith(Trap.SPRUNG))
                .containsExactly(Trap.SPRUNG + SerialisationProbe.PROCESS);
    }
}
