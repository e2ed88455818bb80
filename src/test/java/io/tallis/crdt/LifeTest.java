package io.tallis.crdt;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class LifeTest {
    private static final long NOW = 500;
    private static final long SOON = 1_000;
    private static final long LATER = 2_000;

    private final Life life = new Life();

    @Test
    void life_ofACellThatNeverHadADeadline_isEmptyAndNeverPast() {
        assertThat(life.isEmpty()).isTrue();
        assertThat(life.hasDeadline()).isFalse();
        assertThat(life.isOver(Long.MAX_VALUE - 1)).isFalse();
        assertThat(life.isPast(Long.MAX_VALUE, 0)).isFalse();
    }

    @Test
    void deadline_ofAYoungCell_isItsHorizon() {
        life.expireAt(SOON, true);

        assertThat(life.isOver(SOON - 1)).isFalse();
        assertThat(life.isOver(SOON)).isTrue();
        assertThat(life.horizon()).isEqualTo(SOON);
        assertThat(life.isPast(SOON + 9, 10)).isFalse();
        assertThat(life.isPast(SOON + 10, 10)).isTrue();
    }

    @Test
    void deadline_ofACellThatOldCopiesHaveWithout_leavesATombstone() {
        life.expireAt(SOON, false);

        assertThat(life.horizon()).isEqualTo(Life.FOREVER);
        assertThat(life.isPast(Long.MAX_VALUE, 0)).isFalse();
    }

    @Test
    void extension_needsNoVersionAndMovesTheHorizon() {
        life.expireAt(SOON, true);
        long version = life.version();

        life.expireAt(LATER, false);

        assertThat(life.version()).isEqualTo(version);
        assertThat(life.deadline()).isEqualTo(LATER);
        assertThat(life.horizon()).isEqualTo(LATER);
    }

    @Test
    void shortening_isANewVersionAndLeavesTheHorizon() {
        life.expireAt(LATER, true);
        Life before = copy();

        life.expireAt(SOON, false);

        assertThat(life.exceeds(before, NOW)).isTrue();
        assertThat(life.deadline()).isEqualTo(SOON);
        assertThat(life.horizon()).isEqualTo(LATER);
    }

    @Test
    void shortening_besideAnExtension_wins() {
        life.expireAt(LATER, true);
        Life elsewhere = copy();
        elsewhere.expireAt(LATER + 500, true);
        life.expireAt(SOON, true);

        assertThat(life.merge(elsewhere, NOW, false)).isTrue();

        assertThat(life.deadline()).isEqualTo(SOON);
        assertThat(life.horizon()).isEqualTo(LATER + 500);
    }

    @Test
    void twoExtensions_keepTheLonger() {
        life.expireAt(SOON, true);
        Life elsewhere = copy();
        elsewhere.expireAt(LATER, true);
        life.expireAt(SOON + 1, true);

        assertThat(life.merge(elsewhere, NOW, false)).isTrue();
        assertThat(life.merge(elsewhere, NOW, false)).isFalse();

        assertThat(life.deadline()).isEqualTo(LATER);
    }

    @Test
    void persist_winsOverWhatItKnewAndLastsForever() {
        life.expireAt(SOON, true);
        Life elsewhere = copy();
        life.persist();

        assertThat(elsewhere.merge(life, NOW, false)).isTrue();

        assertThat(elsewhere.hasDeadline()).isFalse();
        assertThat(elsewhere.horizon()).isEqualTo(Life.FOREVER);
        assertThat(elsewhere.isEmpty()).isFalse();
    }

    @Test
    void deadline_afterPersist_winsOverIt() {
        life.expireAt(SOON, true);
        life.persist();
        Life elsewhere = copy();

        life.expireAt(LATER, true);

        assertThat(life.exceeds(elsewhere, NOW)).isTrue();
        assertThat(life.horizon()).isEqualTo(Life.FOREVER);
    }

    @Test
    void nextLife_winsOverEveryVersionOfTheFormer() {
        life.expireAt(SOON, true);
        Life elsewhere = copy();
        elsewhere.persist();
        elsewhere.expireAt(LATER, true);

        life.beginAgain();

        assertThat(life.exceeds(elsewhere, NOW)).isTrue();
        assertThat(life.hasDeadline()).isFalse();
        assertThat(life.horizon()).isEqualTo(SOON);
        assertThat(life.isEmpty()).isFalse();
    }

    @Test
    void rescue_keepsTheDeadlineOfTheSmaller() {
        life.expireAt(SOON, true);
        Life elsewhere = new Life();

        assertThat(life.merge(elsewhere, SOON, true)).isTrue();

        assertThat(life.hasDeadline()).isFalse();
        assertThat(life.version()).isZero();
        assertThat(life.outlivedVersion()).isEqualTo(1);
    }

    @Test
    void rescue_fromAnEarlierNumber_keepsThatAndCountsOnFromTheLater() {
        life.expireAt(LATER, true);
        life.expireAt(LATER + 500, true);
        Life later = new Life();
        later.beginAgain();
        later.expireAt(SOON, true);

        assertThat(life.merge(later, SOON, true)).isTrue();
        assertThat(life.merge(later, SOON, true)).isFalse();

        assertThat(life.number()).isZero();
        assertThat(life.version()).isEqualTo(1);
        assertThat(life.earliestFirst()).isEqualTo(LATER);
        assertThat(life.latestFirst()).isEqualTo(LATER);
        Life elsewhere = copy();
        life.expireAt(LATER + 1, true);
        assertThat(life.number()).isZero();
        assertThat(life.version()).isEqualTo(2);
        assertThat(life.outlivedNumber()).isEqualTo(1);
        assertThat(life.outlivedVersion()).isEqualTo(1);
        elsewhere.beginAgain();
        assertThat(elsewhere.number()).isEqualTo(2);
    }

    @Test
    void ofTwoThatHaveEnded_theOneThatHasOutlivedMore_isKept() {
        life.expireAt(SOON, true);
        Life later = new Life();
        later.beginAgain();
        later.expireAt(SOON, true);
        assertThat(later.exceeds(life, SOON)).isTrue();

        assertThat(life.outlive(1, 2)).isTrue();

        assertThat(life.exceeds(later, SOON)).isTrue();
        assertThat(later.exceeds(life, SOON)).isFalse();
        assertThat(later.exceeds(life, SOON - 1)).isTrue();
    }

    @Test
    void merge_ofTwoThatWereBegunApart_isRelatedToBoth() {
        life.expireAt(LATER, true);
        Life elsewhere = new Life();
        elsewhere.expireAt(SOON, true);

        assertThat(life.merge(elsewhere, NOW, false)).isTrue();
        assertThat(life.merge(elsewhere, NOW, false)).isFalse();

        assertThat(life.earliestFirst()).isEqualTo(SOON);
        assertThat(life.latestFirst()).isEqualTo(LATER);
        assertThat(life.isUnrelatedTo(elsewhere)).isFalse();
        assertThat(life.deadline()).isEqualTo(LATER);
    }

    @Test
    void merge_ofTwoThatWereBegunApart_whereTheEarlierWasExtended_isRelatedToBoth() {
        life.expireAt(LATER, true);
        Life before = copy();
        Life elsewhere = new Life();
        elsewhere.expireAt(SOON, true);
        elsewhere.expireAt(LATER + 500, true);
        assertThat(elsewhere.isUnrelatedTo(life)).isTrue();

        assertThat(life.merge(elsewhere, NOW, false)).isTrue();

        assertThat(life.deadline()).isEqualTo(LATER + 500);
        assertThat(life.isUnrelatedTo(before)).isFalse();
        assertThat(life.isUnrelatedTo(elsewhere)).isFalse();
    }

    @Test
    void merge_withALifeWithoutDeadline_hasTheFirstDeadlineOfTheOther() {
        life.expireAt(SOON, true);
        Life elsewhere = new Life();

        assertThat(elsewhere.merge(life, NOW, false)).isTrue();

        assertThat(elsewhere.earliestFirst()).isEqualTo(SOON);
        assertThat(elsewhere.latestFirst()).isEqualTo(SOON);
    }

    /// What was rescued without a deadline gets the one that its key is given next.
    @Test
    void deadline_besideNoneThatHasOutlivedIt_wins() {
        life.expireAt(SOON, true);
        life.merge(new Life(), SOON, true);
        Life elsewhere = new Life();
        elsewhere.expireAt(LATER, true);

        assertThat(life.merge(elsewhere, NOW, false)).isTrue();

        assertThat(life.deadline()).isEqualTo(LATER);
        assertThat(elsewhere.merge(life, NOW, false)).isTrue();
        assertThat(elsewhere.sameAs(life)).isTrue();
    }

    @Test
    void outlast_ofTheEmptyLife_changesNothing() {
        life.outlast();
        assertThat(life.sameAs(new Life())).isTrue();

        life.expireAt(SOON, true);
        life.outlast();

        assertThat(life.horizon()).isEqualTo(Life.FOREVER);
    }

    private Life copy() {
        Life copy = new Life();
        copy.copyFrom(life);
        return copy;
    }
}
