package io.tallis.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.chaos.Window.Change;
import io.tallis.chaos.Window.Deadline;
import io.tallis.chaos.Window.Plan;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The checker of windows finds each kind of wrong answer, and accepts what clocks that differ may make of deadlines.
final class WindowTest {
    private static final long SKEW = 2_000;
    private static final long LENGTH = 10_000;
    private static final long WHOLE_UNTIL = LENGTH - 2 * SKEW;
    private static final long GONE_FROM = LENGTH + 2 * SKEW;
    private static final long LATER = GONE_FROM + 1_000;

    private static final Directory DIRECTORY = new Directory(0, 0);

    private final Window window = new Window(new Plan("k", LENGTH, false, false), SKEW);

    private static Change change(long amount) {
        return new Change(amount, Optional.of(new Deadline(false, LENGTH)), false);
    }

    private static Change splitChange(long amount) {
        return new Change(amount, Optional.of(new Deadline(false, LENGTH)), true);
    }

    private void add(Change change, long sent, long answered) {
        window.begin();
        window.sent(change, "node", sent);
        window.acknowledged(change, DIRECTORY, answered);
    }

    private Optional<String> read(long time, String reply) {
        return window.check(window.reads(time).orElseThrow(), reply);
    }

    private Optional<String> readAgreed(long time, String reply) {
        return window.checkAgreed(window.reads(time).orElseThrow(), time, reply);
    }

    @Test
    void agreedValue_beforeTheEarliestEnd_isTheAcknowledgedSum() {
        add(change(5), 0, 0);
        add(change(7), 0, 0);

        assertThat(readAgreed(WHOLE_UNTIL - 1, "12")).isEmpty();
        assertThat(readAgreed(WHOLE_UNTIL - 1, "5")).get().asString().contains("which is not 12");
        assertThat(readAgreed(WHOLE_UNTIL - 1, "(nil)")).isPresent();
        assertThat(readAgreed(WHOLE_UNTIL, "5")).isEmpty();
    }

    @Test
    void agreedValue_afterTheFirstOfSeveralDeadlines_mayLackAPart() {
        add(change(5), 0, 0);
        add(change(7), 1_000, 1_000);

        assertThat(readAgreed(WHOLE_UNTIL, "7")).isEmpty();
        assertThat(readAgreed(GONE_FROM + 500, "7")).isEmpty();
    }

    @Test
    void value_aboveAllThatWasSent_isWrong() {
        add(change(5), 0, 0);

        assertThat(read(1, "6")).get().asString().contains("no more than 5");
        assertThat(read(WHOLE_UNTIL, "6")).isPresent();
    }

    @Test
    void value_ofAKeyThatIsUsedAgain_mayHaveAPartOfTheEarlierLifeUntilNodesAgree() {
        Window again = new Window(new Plan("k", LENGTH, false, true), SKEW);
        again.begin();
        Change change = change(5);
        again.sent(change, "node", 0);
        again.acknowledged(change, DIRECTORY, 0);
        Window.Read read = again.reads(1).orElseThrow();

        assertThat(again.check(read, "6")).isEmpty();
        assertThat(again.checkAgreed(read, 1, "6")).isPresent();
    }

    @Test
    void value_afterTheLatestEnd_isWrongOnAnyNode() {
        add(change(5), 0, 0);

        assertThat(read(GONE_FROM, "5")).isEmpty();
        assertThat(read(LATER, "(nil)")).isEmpty();
        assertThat(read(LATER, "5")).get().asString().contains("was to be gone");
        assertThat(read(LATER, "0")).isPresent();
    }

    @Test
    void value_ofAChangeThatIsUnderWay_mayBeThereForLong() {
        add(change(5), 0, 0);
        Change late = change(7);
        window.sent(late, "node", 1);

        assertThat(read(LATER, "7")).isEmpty();

        window.acknowledged(late, DIRECTORY, LATER);
        assertThat(read(LATER + GONE_FROM - 100, "7")).isEmpty();
        assertThat(read(LATER + LATER, "7")).isPresent();
    }

    @Test
    void unansweredChange_endsAsWell() {
        window.begin();
        Change change = change(5);
        window.sent(change, "node", 0);
        window.unanswered(change, 100);

        assertThat(readAgreed(200, "5")).isEmpty();
        assertThat(readAgreed(200, "(nil)")).isEmpty();
        assertThat(readAgreed(200, "3")).isPresent();
        assertThat(read(LATER, "5")).isPresent();
    }

    @Test
    void refusedChange_thatIsCounted_isWrong() {
        window.begin();
        Change change = change(5);
        window.sent(change, "node", 0);
        window.refused(change, 0);

        assertThat(read(1, "5")).isPresent();
    }

    @Test
    void deadlineAsATime_dependsOnTheReadersClockOnly() {
        add(new Change(5, Optional.of(new Deadline(true, LENGTH)), false), 0, 0);

        assertThat(readAgreed(LENGTH - SKEW - 1, "(nil)")).isPresent();
        assertThat(readAgreed(LENGTH - SKEW, "(nil)")).isEmpty();
        assertThat(read(LENGTH + SKEW + 100, "5")).isPresent();
    }

    @Test
    void deadlineAsATime_thatHadComeBeforeTheAnswer_endsTheCounterThen() {
        add(new Change(5, Optional.of(new Deadline(true, LENGTH)), false), 0, LATER);

        assertThat(read(LATER + 2 * SKEW, "5")).isEmpty();
        assertThat(read(LATER + 2 * SKEW + 100, "5")).isPresent();
    }

    @Test
    void splitChange_endsWhenNodesAgree() {
        add(splitChange(5), 0, 0);

        assertThat(read(LATER, "5")).isEmpty();
        assertThat(readAgreed(LATER, "5")).isPresent();
        assertThat(readAgreed(LATER, "(nil)")).isEmpty();
        assertThat(window.retire(LATER)).isFalse();
    }

    @Test
    void splitChange_withoutAnAnswer_mayStay() {
        window.begin();
        Change change = splitChange(5);
        window.sent(change, "node", 0);
        window.unanswered(change, 0);

        assertThat(readAgreed(LATER, "5")).isEmpty();
        assertThat(readAgreed(LATER, "6")).isPresent();
    }

    @Test
    void incrementWithoutDeadline_afterTheEarliestEnd_mayStay() {
        add(change(5), 0, 0);
        add(new Change(7, Optional.empty(), false), 1, WHOLE_UNTIL);

        assertThat(readAgreed(LATER, "7")).isEmpty();
    }

    @Test
    void incrementWithoutDeadline_beforeTheEarliestEnd_endsWithTheOthers() {
        add(change(5), 0, 0);
        add(new Change(7, Optional.empty(), false), 1, WHOLE_UNTIL - 1);

        assertThat(read(LATER, "7")).isPresent();
    }

    @Test
    void key_isUsedAgainOnlyWhenTheWindowIsGone_andNothingIsRead() {
        add(change(5), 0, 0);
        assertThat(window.retire(GONE_FROM)).isFalse();
        window.reads(LATER);
        assertThat(window.retire(LATER)).isFalse();

        window.hasRead();

        assertThat(window.retire(LATER)).isTrue();
        assertThat(window.reads(LATER)).isEmpty();
    }

    @Test
    void clocksThatDifferByMoreThanIsPromised_mayEndWindowsTooEarly() {
        Window far = new Window(new Plan("k", LENGTH, false, false), 2_600);
        far.begin();
        Change change = change(5);
        far.sent(change, "node", 0);
        far.acknowledged(change, DIRECTORY, 0);

        assertThat(far.isWhole(1)).isFalse();
        assertThat(window.isWhole(1)).isFalse();
        add(change(5), 0, 0);
        assertThat(window.isWhole(1)).isTrue();
    }
}
