package io.tallis.keyspace;

import static io.tallis.keyspace.Keyspaces.key;
import static io.tallis.keyspace.Keyspaces.keyspace;
import static io.tallis.keyspace.Keyspaces.namesIn;
import static io.tallis.keyspace.Keyspaces.text;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ChangedCellsTest {
    private final Keyspace keyspace = keyspace(1);
    private final Counters counters = new Counters(keyspace, ChangeLog.NONE);
    private final List<String> shown = new ArrayList<>();

    @Test
    void cells_comeAsManyAtATimeAsThereIsRoomFor() {
        List<String> names = namesIn(5, 1_000);
        add(names);
        ChangedCells changed = keyspace.changedCells();

        int most = 0;
        while (!changed.allShown()) {
            int before = shown.size();
            int told = changed.show(() -> shown.size() < before + 7, (_, key, _) -> shown.add(text(key)));
            assertThat(told).isEqualTo(shown.size() - before);
            most = Math.max(most, told);
        }

        assertThat(most).isEqualTo(7);
        assertThat(shown).containsExactlyInAnyOrderElementsOf(names);
        assertThat(keyspace.changed(Keyspace.Consumer.CHECKPOINT)).isZero();
    }

    @Test
    void cellsOfATableThatGrowsMeanwhile_areAllShown() {
        List<String> names = namesIn(5, 10_000);
        add(names.subList(0, 1_000));
        ChangedCells changed = keyspace.changedCells();

        for (int added = 1_000; !changed.allShown(); added += 300) {
            int before = shown.size();
            changed.show(() -> shown.size() < before + 100, (_, key, _) -> shown.add(text(key)));
            add(names.subList(Math.min(added, 10_000), Math.min(added + 300, 10_000)));
        }

        assertThat(shown).containsAll(names.subList(0, 1_000));
    }

    @Test
    void cellsThatChangeForEver_areShownOnceAndStayMarked() {
        List<String> names = namesIn(5, 1_000);
        add(names);
        ChangedCells changed = keyspace.changedCells();

        while (!changed.allShown()) {
            int before = shown.size();
            changed.show(() -> shown.size() < before + 10, (_, key, _) -> shown.add(text(key)));
            add(names);
            assertThat(shown).hasSizeLessThanOrEqualTo(1_000);
        }

        assertThat(shown).containsExactlyInAnyOrderElementsOf(names);
        assertThat(keyspace.changed(Keyspace.Consumer.CHECKPOINT)).isEqualTo(1_000);
    }

    private void add(List<String> names) {
        names.forEach(name -> counters.add(key(name), 1));
    }
}
