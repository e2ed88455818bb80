package io.tallis.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/// Java serialisation is off: for what comes over the network always, for the rest unless the operator allows it.
final class LibrarySetupIT {
    @Test
    void serialisedObject_isRejected() throws Exception {
        List<String> told = Child.run(SerialisationProbe.class, List.of()).requireSuccess();

        assertThat(told).contains(SerialisationProbe.LISTENING).anyMatch(line -> line.contains("REJECTED"));
        assertThat(told).noneMatch(line -> line.startsWith(Trap.SPRUNG));
    }

    @Test
    void serialisedObject_fromTheNetwork_isRejectedEvenIfTheOperatorAllowsOthers() throws Exception {
        List<String> told = Child.run(SerialisationProbe.class, List.of("-Djdk.serialFilter=*"))
                .requireSuccess();

        assertThat(told).contains(SerialisationProbe.LISTENING);
        assertThat(told)
                .filteredOn(line -> line.startsWith(Trap.SPRUNG))
                .containsExactly(Trap.SPRUNG + SerialisationProbe.PROCESS);
    }
}
