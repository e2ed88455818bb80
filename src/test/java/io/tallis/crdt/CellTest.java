package io.tallis.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/// Assignments, resets and ends, as two nodes see them that count as replicas 0 and 1.
final class CellTest {
    private static final int HERE = 0;
    private static final int THERE = 1;
    private static final int THIRD = 9;
    private static final long NOW = 1_000_000;
    private static final long SOON = NOW + 1_000;
    private static final long LATER = NOW + 10_000;

    private final Cell here = new Cell();
    private final Cell there = new Cell();

    @Test
    void assign_resetsWhatWasSeenAndIsTheValue() {
        here.add(HERE, 5);

        here.assign(-3, NOW, 0);

        assertThat(here.value()).isEqualTo(-3);
        assertThat(here.counts().exists()).isFalse();
        here.add(HERE, 1);
        assertThat(here.value()).isEqualTo(-2);
    }

    @Test
    void assign_besideAnUnseenIncrement_leavesThatOnTop() {
        here.add(HERE, 5);
        there.copyFrom(here);
        there.add(THERE, 2);

        here.assign(10, NOW, 0);
        exchange();

        assertThat(here.value()).isEqualTo(12);
    }

    @Test
    void assign_twiceAtOnce_keepsTheLater() {
        here.assign(10, NOW + 1, 0);
        there.assign(20, NOW, 0);

        exchange();

        assertThat(here.value()).isEqualTo(10);
    }

    @Test
    void assign_withOneTimestamp_keepsTheLarger() {
        here.assign(-10, NOW, 0);
        there.assign(3, NOW, 0);

        exchange();

        assertThat(here.value()).isEqualTo(3);
    }

    @Test
    void assign_withOneTimestamp_keepsTextRatherThanANumber() {
        here.assign(Long.MAX_VALUE, NOW, 0);
        assign(there, "", NOW);

        exchange();

        assertThat(here.hasText()).isTrue();
        assertThat(here.textLength()).isZero();
    }

    @Test
    void assign_byAClockThatIsBehind_winsOverWhatWasSeen() {
        here.assign(10, LATER, 7);
        there.copyFrom(here);

        there.assign(20, NOW, 5);
        exchange();

        assertThat(here.value()).isEqualTo(20);
    }

    @Test
    void assign_afterAReset_winsOverIt() {
        here.assign(10, LATER, 7);
        there.copyFrom(here);
        there.reset();

        there.assign(20, NOW, 5);
        exchange();

        assertThat(here.value()).isEqualTo(20);
    }

    @Test
    void reset_winsOverTheAssignmentThatItSaw() {
        here.assign(Long.MAX_VALUE, NOW, 0);
        there.copyFrom(here);

        assertThat(here.reset()).isTrue();
        exchange();

        assertThat(here.exists()).isFalse();
        assertThat(here.value()).isZero();
        assertThat(here.reset()).isFalse();
    }

    @Test
    void reset_besideAnUnseenAssignment_leavesIt() {
        here.assign(10, NOW, 0);
        there.copyFrom(here);
        there.assign(20, NOW, 0);

        here.reset();
        exchange();

        assertThat(here.value()).isEqualTo(20);
    }

    @Test
    void reset_besideAnUnseenIncrement_leavesIt() {
        here.assign(10, NOW, 0);
        here.add(HERE, 1);
        there.copyFrom(here);
        there.add(THERE, 2);

        here.reset();
        exchange();

        assertThat(here.value()).isEqualTo(2);
    }

    @Test
    void assign_ofText_isReadAndTakesNoPartInTheValue() {
        assign(here, "front page", NOW);

        assertThat(here.hasText()).isTrue();
        assertThat(text(here)).isEqualTo("front page");
        assertThat(here.value()).isZero();

        here.assign(4, NOW, 0);

        assertThat(here.hasText()).isFalse();
        assertThat(here.value()).isEqualTo(4);
    }

    @Test
    void add_beyondTheRangeTogetherWithTheRegister_isRefused() {
        here.assign(Long.MAX_VALUE, NOW, 0);

        assertThat(here.add(HERE, 1)).isFalse();
        assertThat(here.add(HERE, -1)).isTrue();
        assertThat(here.add(HERE, 1)).isTrue();
        assertThat(here.add(HERE, 1)).isFalse();
    }

    @Test
    void value_ofARegisterAndCountsOutOfRange_isClamped() {
        here.assign(Long.MAX_VALUE, NOW, 0);
        there.add(THERE, Long.MAX_VALUE);

        exchange();

        assertThat(here.value()).isEqualTo(Long.MAX_VALUE);
    }

    // The end

    @Test
    void end_atTheDeadline_resetsWhatWasSeen() {
        here.assign(10, NOW, 0);
        here.add(HERE, 1);
        here.life().expireAt(SOON, true);

        assertThat(here.endIfOver(SOON - 1)).isFalse();
        assertThat(here.endIfOver(SOON)).isTrue();

        assertThat(here.exists()).isFalse();
        assertThat(here.endIfOver(SOON)).isFalse();
    }

    @Test
    void merge_ofTwoLivingCopies_keepsTheLargerLife() {
        here.add(HERE, 1);
        here.life().expireAt(SOON, true);
        there.copyFrom(here);
        there.life().expireAt(LATER, true);

        exchange();

        assertThat(here.life().deadline()).isEqualTo(LATER);
    }

    /// See the drawing in [Cell].
    @Test
    void merge_ofAnEndedCopyWithOneThatWasCutOff_leavesWhatWasUnseen() {
        here.add(HERE, 1);
        there.copyFrom(here);
        here.life().expireAt(SOON, false);
        there.add(THERE, 1);
        here.endIfOver(SOON);

        exchange(SOON);

        assertThat(here.value()).isEqualTo(1);
        assertThat(here.life().hasDeadline()).isFalse();
    }

    @Test
    void merge_ofAnEndedCopyWithALivingOneThatHasNoMore_endsThat() {
        here.add(HERE, 1);
        there.copyFrom(here);
        here.life().expireAt(SOON, false);
        here.endIfOver(SOON);

        exchange(SOON);

        assertThat(here.exists()).isFalse();
        assertThat(here.life().deadline()).isEqualTo(SOON);
    }

    @Test
    void merge_ofACopyThatHasEndedWithAnExtension_livesOn() {
        here.add(HERE, 1);
        here.life().expireAt(SOON, true);
        there.copyFrom(here);
        there.life().expireAt(LATER, true);
        here.end();
        assertThat(here.exists()).isFalse();

        exchange(SOON);

        assertThat(here.exists()).isTrue();
        assertThat(here.value()).isEqualTo(1);
    }

    @Test
    void merge_ofTwoCopiesThatAreOver_leavesTheirCountsToAnExtension() {
        here.add(HERE, 1);
        here.life().expireAt(SOON, true);
        there.copyFrom(here);
        there.add(THERE, 2);
        Cell extended = CellGen.copyOf(here);
        extended.life().expireAt(LATER, true);

        exchange(SOON);
        assertThat(here.exists()).isFalse();
        here.merge(extended, SOON);

        assertThat(here.exists()).isTrue();
        assertThat(here.value()).isEqualTo(3);
    }

    @Test
    void merge_afterTheClockWasSetBack_bringsAnEndedCellBack() {
        here.add(HERE, 1);
        here.life().expireAt(SOON, true);
        there.copyFrom(here);
        here.end();

        assertThat(here.merge(there, NOW)).isEqualTo(Counter.Merged.GREW);

        assertThat(here.exists()).isTrue();
    }

    @Test
    void endIfOver_ofAnEndedCopy_resetsIt() {
        here.add(HERE, 1);
        here.life().expireAt(SOON, true);
        here.end();

        assertThat(here.endIfOver(SOON)).isTrue();

        assertThat(here.life().isEnded()).isFalse();
        assertThat(here.counts().exists()).isFalse();
    }

    @Test
    void merge_ofACopyThatHasNotHeardOfAnExtension_doesNotEndIt() {
        here.add(HERE, 1);
        here.life().expireAt(SOON, true);
        there.copyFrom(here);
        there.life().expireAt(LATER, true);
        here.add(HERE, 1);

        exchange(SOON);

        assertThat(here.value()).isEqualTo(2);
    }

    /// Its node was down when the deadline came, and no other node had heard of it.
    @Test
    void merge_ofACopyThatWasOverBeforeTheKeyWasUsedElsewhere_endsThatCopy() {
        here.add(HERE, 1);
        here.life().expireAt(SOON, true);
        there.add(THERE, 7);
        there.life().expireAt(LATER, true);

        exchange(SOON);

        assertThat(here.value()).isEqualTo(7);
    }

    /// The other node may have extended it meanwhile.
    @Test
    void merge_ofAReceivedCopyThatIsOverAndUnrelated_ignoresIt() {
        here.add(HERE, 1);
        here.life().expireAt(SOON, true);
        there.add(THERE, 7);
        there.life().expireAt(LATER, true);
        Cell before = CellGen.copyOf(there);

        there.merge(CellGen.copyOf(here), SOON);

        assertThat(CellGen.show(there)).isEqualTo(CellGen.show(before));
        assertThat(there.otherLags()).isTrue();
        here.life().persist();
        there.merge(here, SOON);
        assertThat(there.value()).isEqualTo(8);
    }

    /// One more copy, of a third node that was down too.
    @Test
    void merge_afterSuchACopy_doesNotShowAnotherOne() {
        Cell third = new Cell().clear(CounterType.PNCOUNT);
        third.add(THIRD, 2);
        third.life().expireAt(SOON + 1, true);
        here.add(HERE, 1);
        here.life().expireAt(SOON, true);
        there.add(THERE, 7);
        there.life().expireAt(LATER, true);
        exchange(SOON);

        here.merge(third, SOON + 1);

        assertThat(here.value()).isEqualTo(7);
    }

    /// Both began at about the same time, and became one when they met.
    @Test
    void merge_ofACopyOfOneOfTwoThatMetWhileTheyLived_doesNotEndIt() {
        here.add(HERE, 1);
        here.life().expireAt(SOON, true);
        Cell early = CellGen.copyOf(here);
        there.add(THERE, 7);
        there.life().expireAt(LATER, true);
        exchange(SOON - 1);

        here.merge(early, SOON);

        assertThat(here.value()).isEqualTo(8);
    }

    /// The life that is extended has had an earlier deadline, but not this one.
    @Test
    void merge_ofACopyThatIsOverWithACounterThatBeganEarlierAndWasExtended_resetsIt() {
        here.add(HERE, 1);
        here.life().expireAt(LATER, true);
        there.add(THERE, 7);
        there.life().expireAt(SOON, true);
        there.life().expireAt(LATER + 1_000, true);

        exchange(LATER);

        assertThat(here.value()).isEqualTo(7);
        assertThat(there.value()).isEqualTo(7);
    }

    /// The key was used again without a deadline, and got one after that merge.
    @Test
    void merge_ofACopyThatIsOverIntoACounterThatGetsItsDeadlineLater_doesNotShowIt() {
        here.add(HERE, 1);
        here.life().expireAt(SOON, true);
        Cell late = CellGen.copyOf(here);
        late.add(HERE, 1);
        there.add(THERE, 7);
        exchange(SOON);
        there.life().expireAt(LATER, true);

        there.merge(late, SOON);

        assertThat(there.value()).isEqualTo(7);
    }

    /// A counter that lives on beside one that is over becomes one of the latter's number, and is no extension of it.
    @Test
    void merge_afterAnEndedCopyOfALaterNumber_doesNotShowAnotherOne() {
        here.add(HERE, 1);
        here.life().expireAt(SOON, true);
        here.life().expireAt(LATER, true);
        there.life().beginAgain();
        there.add(THERE, 5);
        there.life().expireAt(SOON + 1, true);
        Cell late = CellGen.copyOf(there);
        late.add(THERE, 2);
        exchange(SOON + 1);

        here.merge(late, SOON + 1);

        assertThat(here.value()).isEqualTo(1);
    }

    @Test
    void merge_ofACopyFromBeforeTheKeyWasUsedAgain_endsThatCopy() {
        here.add(HERE, 1);
        here.life().expireAt(SOON, true);
        there.copyFrom(here);
        there.add(THERE, 5);
        here.endIfOver(SOON);
        here.life().beginAgain();
        here.add(HERE, 7);

        exchange(SOON);

        assertThat(here.value()).isEqualTo(7);
        assertThat(here.life().number()).isEqualTo(1);
    }

    @Test
    void isPast_onlyOfACellThatHasEndedEverywhere() {
        here.add(HERE, 1);
        assertThat(here.isPast(Long.MAX_VALUE, 0)).isFalse();
        here.life().expireAt(SOON, true);
        here.life().expireAt(LATER, true);
        here.life().expireAt(SOON, true);

        assertThat(here.isPast(LATER + 9, 10)).isFalse();
        assertThat(here.isPast(LATER + 10, 10)).isTrue();
    }

    @Test
    void isPast_ofACellThatBeganAgain_isFalse() {
        here.add(HERE, 1);
        here.life().expireAt(SOON, true);
        here.endIfOver(SOON);
        here.life().beginAgain();
        here.add(HERE, 1);

        assertThat(here.isPast(LATER, 10)).isFalse();
        here.reset();
        assertThat(here.isPast(LATER, 10)).isTrue();
    }

    @Test
    void isWellFormed_ofAGCountWithARegister_isFalse() {
        here.assign(1, NOW, 0);
        assertThat(here.isWellFormed()).isTrue();

        there.clear(CounterType.GCOUNT);
        there.parts().copyFrom(here.parts());

        assertThat(there.isWellFormed()).isFalse();
    }

    private void exchange() {
        exchange(NOW);
    }

    /// Merges both into each other, and what became of them.
    private void exchange(long now) {
        Cell copy = CellGen.copyOf(here);
        here.merge(CellGen.copyOf(there), now);
        there.merge(copy, now);
        copy.copyFrom(here);
        here.merge(CellGen.copyOf(there), now);
        there.merge(copy, now);

        assertThat(CellGen.show(here)).isEqualTo(CellGen.show(there));
    }

    private static void assign(Cell cell, String text, long now) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        cell.assign(bytes, 0, bytes.length, now, 0);
    }

    private static String text(Cell cell) {
        return new String(cell.parts().array(), cell.textOffset(), cell.textLength(), StandardCharsets.US_ASCII);
    }
}
