package io.tallis.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.tallis.chaos.History.Request;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// The checker of histories finds each kind of wrong value, and accepts what the semantics permit.
final class HistoryTest {
    private static final long CLOCKS_DIFFER = 10;

    private final History history = new History("k", CLOCKS_DIFFER);
    private long now;

    private Request sent(int node) {
        return new Request(node, 0, ++now);
    }

    private Request acknowledged(Request request) {
        request.acknowledged(++now);
        return request;
    }

    private Request add(int node) {
        Request request = sent(node);
        history.add(request, false, false);
        return acknowledged(request);
    }

    private Request reset(int node) {
        Request request = sent(node);
        history.reset(request);
        return acknowledged(request);
    }

    private Optional<String> read(int node, long value) {
        return history.check(acknowledged(sent(node)), value);
    }

    @Test
    void agreedValue_withoutAnAcknowledgedAddition_isWrong() {
        add(0);
        add(1);

        assertThat(history.checkAgreed(5)).isEmpty();
        assertThat(history.checkAgreed(1)).get().asString().contains("acknowledged, but not counted");
    }

    @Test
    void addition_countedTwice_isWrong() {
        add(0);
        add(1);

        assertThat(history.checkAgreed(6)).get().asString().contains("counted 2 times");
        assertThat(history.checkAgreed(9)).get().asString().contains("counted 2 times");
        assertThat(history.checkAgreed(21)).get().asString().contains("more was counted");
    }

    @Test
    void subtraction_isFoundBesideAdditions() {
        Request request = sent(0);
        history.add(request, false, false);
        history.add(request, false, true);
        history.add(request, false, false);
        acknowledged(request);

        assertThat(history.checkAgreed(1 - 4 + 16)).isEmpty();
        assertThat(history.checkAgreed(1 + 16)).isPresent();
        assertThat(history.checkAgreed(1 - 8 + 16)).isPresent();
    }

    @Test
    void unansweredAddition_mayBeCountedOnceOrNot() {
        history.add(sent(0), false, false);

        assertThat(history.checkAgreed(0)).isEmpty();
        assertThat(history.checkAgreed(1)).isEmpty();
        assertThat(history.checkAgreed(2)).isPresent();
    }

    @Test
    void refusedAddition_thatIsCounted_isWrong() {
        Request request = sent(0);
        history.add(request, false, false);
        request.refused();

        assertThat(history.checkAgreed(0)).isEmpty();
        assertThat(history.checkAgreed(1)).get().asString().contains("refused");
    }

    @Test
    void reset_removesAllThatItsNodeHadAcknowledged() {
        add(0);
        reset(0);

        assertThat(history.checkAgreed(0)).isEmpty();
        assertThat(history.checkAgreed(1)).get().asString().contains("a reset had removed it");
    }

    @Test
    void reset_mayRemoveAnAdditionOfAnotherNode() {
        add(0);
        reset(1);

        assertThat(history.checkAgreed(0)).isEmpty();
        assertThat(history.checkAgreed(1)).isEmpty();
    }

    @Test
    void reset_ofANodeThatHasTheAdditionByWait_removesIt() {
        Request request = add(0);
        request.onAllNodes(++now, List.of(0, 0));
        reset(1);

        assertThat(history.checkAgreed(0)).isEmpty();
        assertThat(history.checkAgreed(1)).isPresent();
    }

    @Test
    void reset_ofANodeThatLostItsDataAfterTheWait_mayNotRemoveTheAddition() {
        Request request = add(0);
        request.onAllNodes(++now, List.of(0, 0));
        Request reset = new Request(1, 1, ++now);
        history.reset(reset);
        acknowledged(reset);

        assertThat(history.checkAgreed(1)).isEmpty();
    }

    @Test
    void additionAfterAReset_survivesIt() {
        reset(1);
        add(0);

        assertThat(history.checkAgreed(1)).isEmpty();
        assertThat(history.checkAgreed(0)).isPresent();
    }

    @Test
    void unansweredReset_mayRemoveAnAdditionThatCameLater() {
        history.reset(sent(1));
        add(0);

        assertThat(history.checkAgreed(0)).isEmpty();
        assertThat(history.checkAgreed(1)).isEmpty();
    }

    @Test
    void set_removesWhatWasThereAndKeepsItsOwnValue() {
        add(0);
        Request set = sent(0);
        history.add(set, true, false);
        acknowledged(set);

        assertThat(history.checkAgreed(4)).isEmpty();
        assertThat(history.checkAgreed(0)).isPresent();
        assertThat(history.checkAgreed(5)).isPresent();
    }

    @Test
    void set_mayLoseAgainstOneThatIsLaterByItsClock() {
        set(1);
        set(0);

        assertThat(history.checkAgreed(4)).isEmpty();
        assertThat(history.checkAgreed(1)).isEmpty();
    }

    @Test
    void set_longAfterAnother_isNotLost() {
        set(1);
        now += CLOCKS_DIFFER;
        set(0);

        assertThat(history.checkAgreed(4)).isEmpty();
        assertThat(history.checkAgreed(1)).get().asString().contains("acknowledged, but not counted");
    }

    @Test
    void additionsAndResets_ofALostDirectory_areUncertain() {
        add(0);
        history.agreed();
        add(1);
        reset(1);
        add(0);

        assertThat(history.lose(new Directory(1, 0))).isEqualTo(2);

        assertThat(history.checkAgreed(16)).isEmpty();
        assertThat(history.checkAgreed(17)).isEmpty();
        assertThat(history.checkAgreed(21)).isEmpty();
        assertThat(history.checkAgreed(5)).get().asString().contains("addition 2");
    }

    @Test
    void changesOnWhichAllAgreed_areNotLostWithADirectory() {
        add(1);
        history.agreed();

        assertThat(history.lose(new Directory(1, 0))).isZero();

        assertThat(history.checkAgreed(0)).isPresent();
    }

    private void set(int node) {
        Request request = sent(node);
        history.add(request, true, false);
        acknowledged(request);
    }

    @Test
    void transaction_isExecutedInOrder() {
        Request request = sent(0);
        history.add(request, false, false);
        history.reset(request);
        history.add(request, false, false);
        acknowledged(request);

        assertThat(history.checkAgreed(4)).isEmpty();
        assertThat(history.checkAgreed(5)).isPresent();
        assertThat(history.checkAgreed(0)).isPresent();
    }

    @Test
    void read_hasWhatItsNodeAcknowledgedAndMayLackWhatOthersDid() {
        add(0);

        assertThat(read(0, 0)).isPresent();
        assertThat(read(1, 0)).isEmpty();
        assertThat(read(1, 1)).isEmpty();
    }

    @Test
    void read_ofAnAdditionThatWasNotYetSent_isWrong() {
        Request early = acknowledged(sent(0));
        add(0);

        assertThat(history.check(early, 1)).get().asString().contains("before it was sent");
    }

    @Test
    void history_isFullWhenACounterHasNoRoomForMore() {
        for (int i = 0; i < History.MOST_ADDITIONS; i++) {
            add(0);
        }

        assertThat(history.add(sent(0), false, false)).isEmpty();
        assertThat(history.checkAgreed(((1L << 62) - 1) / 3)).isEmpty();
    }
}
