package io.tallis.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// The exact sum of a counter, and what a lost directory leaves open.
final class AccountTest {
    private static final Directory LOST = new Directory(1, 0);
    private static final Directory KEPT = new Directory(2, 0);

    private final Account account = new Account();

    private void add(long amount, Directory by) {
        account.sent(amount);
        account.acknowledged(amount, by);
    }

    @Test
    void acknowledgedChanges_areAllInTheSum() {
        add(5, LOST);
        add(-2, KEPT);

        assertThat(account.isPossible(3)).isTrue();
        assertThat(account.isPossible(5)).isFalse();
    }

    @Test
    void changesOfALostDirectory_countOnceOrNotAtAll() {
        add(7, LOST);
        account.settle(7);
        add(5, LOST);
        add(20, KEPT);

        assertThat(account.lose(LOST)).isEqualTo(1);

        assertThat(account.isPossible(27)).isTrue();
        assertThat(account.isPossible(32)).isTrue();
        assertThat(account.isPossible(20)).isFalse();
        assertThat(account.isPossible(12)).isFalse();
        assertThat(account.most()).isEqualTo(32);
    }

    @Test
    void replyThatIsReadAfterTheDirectoryWasLost_leavesItsChangeOpen() {
        account.sent(5);
        account.lose(LOST);
        account.acknowledged(5, LOST);

        assertThat(account.isPossible(0)).isTrue();
        assertThat(account.isPossible(5)).isTrue();
    }
}
