package io.tallis.keyspace;

import static io.tallis.keyspace.Keyspaces.key;
import static io.tallis.keyspace.Keyspaces.keyspace;
import static io.tallis.keyspace.Keyspaces.namesIn;
import static io.tallis.keyspace.Keyspaces.text;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DirtyCellsTest {
    private Keyspace keyspace = keyspace(1);
    private Counters counters = new Counters(keyspace, ChangeLog.NONE);
    private final List<String> shown = new ArrayList<>();

    @Test
    void show_endsWhenThereIsNoRoom() {
        List<String> names = namesIn(5, 1_000);
        add(names);
        DirtyCells changed = keyspace.dirtyCells();

        int most = 0;
        while (!changed.allShown()) {
            int before = shown.size();
            int shownNow = show(changed, 7);
            assertThat(shownNow).isEqualTo(shown.size() - before);
            most = Math.max(most, shownNow);
        }

        assertThat(most).isEqualTo(7);
        assertThat(shown).containsExactlyInAnyOrderElementsOf(names);
        assertThat(keyspace.marked(Keyspace.Consumer.CHECKPOINT)).isZero();
    }

    @Test
    void show_whileTheTableGrows_showsAllCells() {
        List<String> names = namesIn(5, 10_000);
        add(names.subList(0, 1_000));
        DirtyCells changed = keyspace.dirtyCells();

        for (int added = 1_000; !changed.allShown(); added += 300) {
            show(changed, 100);
            add(names.subList(Math.min(added, 10_000), Math.min(added + 300, 10_000)));
        }

        assertThat(shown).containsAll(names.subList(0, 1_000));
    }

    /// Cells with the same home slot may change their order when the table grows.
    @Test
    void show_whenTheTableGrowsAfterTheFirstCell_showsAllCells() {
        List<String> names = namesIn(5, 60);
        for (int seed = 0; seed < 300; seed++) {
            keyspace = keyspace(seed);
            counters = new Counters(keyspace, ChangeLog.NONE);
            shown.clear();
            add(names.subList(0, 12));
            DirtyCells changed = keyspace.dirtyCells();
            while (shown.isEmpty()) {
                show(changed, 1);
            }
            add(names.subList(12, 60));
            while (!changed.allShown()) {
                show(changed, 100);
            }

            assertThat(shown).containsAll(names.subList(0, 12));
        }
    }

    @Test
    void show_ofCellsThatKeepChanging_showsEachOnceAndEnds() {
        List<String> names = namesIn(5, 1_000);
        add(names);
        DirtyCells changed = keyspace.dirtyCells();

        while (!changed.allShown()) {
            show(changed, 10);
            add(names);
            assertThat(shown).hasSizeLessThanOrEqualTo(1_000);
        }

        assertThat(shown).containsExactlyInAnyOrderElementsOf(names);
        assertThat(keyspace.marked(Keyspace.Consumer.CHECKPOINT)).isEqualTo(1_000);
    }

    private int show(DirtyCells changed, int most) {
        int before = shown.size();
        return changed.show(DirtyVisitor.of(() -> shown.size() < before + most, (_, key, _) -> shown.add(text(key))));
    }

    private void add(List<String> names) {
        names.forEach(name -> counters.add(key(name), 1));
    }
}
