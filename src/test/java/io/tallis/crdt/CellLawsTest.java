package io.tallis.crdt;

import static io.tallis.crdt.CellGen.NOW;
import static io.tallis.crdt.CellGen.cell;
import static io.tallis.crdt.CellGen.livingCell;
import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.testing.Property;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// The laws of cells at one time of day, at which no deadline is near.
final class CellLawsTest {
    private static final int SOME = 10;

    @Test
    void merge_ofLivingCellsInEitherOrder_isTheSame() {
        Property.forAll(gen -> {
            CounterType type = CounterGen.type(gen);
            Cell left = livingCell(gen, type);
            Cell right = livingCell(gen, type);

            assertSame(merged(left, right), merged(right, left));
        });
    }

    /// A copy that is over, and unrelated to the living one, is reset by its own node only, which then sends the reset.
    @Test
    void merges_inBothDirectionsAndOfTheAnswers_areTheSame() {
        Property.forAll(gen -> {
            CounterType type = CounterGen.type(gen);
            Cell left = cell(gen, type);
            Cell right = cell(gen, type);

            Cell there = merged(right, left);
            Cell here = merged(left, right);

            assertSame(merged(here, there), merged(there, here));
        });
    }

    @Test
    void merge_ofLivingCellsInAnyGrouping_isTheSame() {
        Property.forAll(gen -> {
            CounterType type = CounterGen.type(gen);
            Cell a = livingCell(gen, type);
            Cell b = livingCell(gen, type);
            Cell c = livingCell(gen, type);

            assertSame(merged(merged(a, b), c), merged(a, merged(b, c)));
        });
    }

    /// Of cells that are over the grouping decides which deadline a cell gets that lives on: one more merge agrees.
    @Test
    void mergesInAnyOrder_untilNothingIsNew_endEqual() {
        Property.forAll(gen -> {
            CounterType type = CounterGen.type(gen);
            List<Cell> cells = new ArrayList<>();
            for (int i = gen.between(2, 4); i > 0; i--) {
                cells.add(cell(gen, type));
            }
            for (int i = 0; i < SOME; i++) {
                gen.pick(cells).merge(CellGen.copyOf(gen.pick(cells)), NOW);
            }

            int rounds = 0;
            while (mergeAll(cells)) {
                assertThat(rounds++).isLessThan(SOME);
            }

            cells.forEach(cell -> assertSame(cell, cells.getFirst()));
        });
    }

    private static boolean mergeAll(List<Cell> cells) {
        boolean isNew = false;
        for (Cell from : cells) {
            for (Cell to : cells) {
                isNew |= to.merge(CellGen.copyOf(from), NOW) != Counter.Merged.NOTHING_NEW;
            }
        }
        return isNew;
    }

    @Test
    void merge_again_changesNothingAndSaysSo() {
        Property.forAll(gen -> {
            CounterType type = CounterGen.type(gen);
            Cell cell = cell(gen, type);
            Cell other = cell(gen, type);
            cell.merge(CellGen.copyOf(other), NOW);
            Cell once = CellGen.copyOf(cell);

            assertThat(cell.merge(CellGen.copyOf(other), NOW)).isEqualTo(Counter.Merged.NOTHING_NEW);
            assertThat(cell.merge(CellGen.copyOf(cell), NOW)).isEqualTo(Counter.Merged.NOTHING_NEW);
            assertSame(cell, once);
        });
    }

    @Test
    void merge_saysWhetherAnythingIsNew() {
        Property.forAll(gen -> {
            CounterType type = CounterGen.type(gen);
            Cell cell = CellGen.withoutEmptyShards(cell(gen, type));
            Cell other = CellGen.withoutEmptyShards(cell(gen, type));
            Cell before = CellGen.copyOf(cell);

            Counter.Merged merged = cell.merge(other, NOW);

            assertThat(merged == Counter.Merged.NOTHING_NEW).isEqualTo(cell.sameAs(before));
        });
    }

    @Test
    void merge_keepsTheLargerOfUnknownParts() {
        Property.forAll(gen -> {
            CounterType type = CounterGen.type(gen);
            Cell left = cell(gen, type);
            Cell right = cell(gen, type);

            Cell both = merged(merged(left, right), merged(right, left));

            for (int kind = Parts.REGISTER + 1; kind <= Parts.LAST_KIND; kind++) {
                byte[] one = part(left, kind);
                byte[] other = part(right, kind);
                boolean isSecond = Arrays.compareUnsigned(one, other) < 0;
                assertThat(part(both, kind)).isEqualTo(isSecond ? other : one);
            }
        });
    }

    @Test
    void merge_lowersNothing() {
        Property.forAll(gen -> {
            CounterType type = CounterGen.type(gen);
            Cell cell = cell(gen, type);
            Cell before = CellGen.copyOf(cell);

            cell.merge(cell(gen, type), NOW);

            assertThat(cell.counts().merge(before.counts())).isEqualTo(Counter.Merged.NOTHING_NEW);
            assertThat(cell.parts().merge(before.parts())).isFalse();
            assertThat(before.life().exceeds(cell.life(), NOW) && before.life().deadline() > NOW)
                    .as("a life that goes on is replaced by a smaller one")
                    .isFalse();
        });
    }

    @Test
    void merge_keepsCellsWellFormed() {
        Property.forAll(gen -> {
            CounterType type = CounterGen.type(gen);

            Cell both = merged(cell(gen, type), cell(gen, type));

            assertThat(both.isWellFormed()).isTrue();
            assertThat(both.life().isOver(NOW) && both.exists()).isFalse();
        });
    }

    private static Cell merged(Cell left, Cell right) {
        Cell merged = CellGen.copyOf(left);
        merged.merge(CellGen.copyOf(right), NOW);
        return merged;
    }

    private static byte[] part(Cell cell, int kind) {
        Parts parts = cell.parts();
        int at = parts.find(kind);
        return at < 0
                ? new byte[0]
                : Arrays.copyOfRange(parts.array(), parts.offset(at), parts.offset(at) + parts.length(at));
    }

    private static void assertSame(Cell one, Cell other) {
        assertThat(CellGen.show(one)).isEqualTo(CellGen.show(other));
        assertThat(one.sameAs(other)).isTrue();
    }
}
