package io.tallis.server;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tallis.cluster.JoinState;
import io.tallis.cluster.ReplicationStatus;
import io.tallis.cluster.Share;
import io.tallis.runtime.Background;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class EntryTest {
    private static final Duration LONGER_THAN_IT_LOOKS = Duration.ofMillis(200);

    private final Background background = new Background();
    private final RememberedJoin disk = new RememberedJoin();
    private final List<String> reached = new CopyOnWriteArrayList<>();
    private volatile ReplicationStatus.Joining standing = standing(JoinState.SEEKING, false);

    @AfterEach
    void end() {
        background.close();
    }

    @Test
    void nodeThatIsWhole_servesWhenItsDiskKnowsIt() {
        disk.unfinished = true;
        begin();
        standing = standing(JoinState.READY, true);
        await().atMost(10, SECONDS).until(() -> disk.isAsked("ends"));
        await().during(LONGER_THAN_IT_LOOKS).until(() -> !reached.contains("service"));

        disk.answer(true);

        await().atMost(10, SECONDS).until(() -> reached.contains("service"));
        assertThat(disk.unfinished).isFalse();
    }

    @Test
    void nodeThatIsWhole_servesWhenItsDiskFails() {
        disk.unfinished = true;
        begin();
        standing = standing(JoinState.READY, true);
        await().atMost(10, SECONDS).until(() -> disk.isAsked("ends"));

        disk.answer(false);

        await().atMost(10, SECONDS).until(() -> reached.contains("service"));
    }

    @Test
    void nodeThatIsToServeAPart_servesAndItsDiskKnowsThePart() {
        disk.unfinished = true;
        begin();

        standing = standing(JoinState.READY, false);

        await().atMost(10, SECONDS).until(() -> reached.contains("service"));
        await().during(LONGER_THAN_IT_LOOKS).until(() -> disk.unfinished && !disk.isAsked("ends"));
        standing = standing(JoinState.READY, true);
        await().atMost(10, SECONDS).until(() -> disk.isAsked("ends"));
    }

    @Test
    void nodeThatWasWhole_goesOnWhenItsDiskKnowsThePart() {
        standing = standing(JoinState.READY, true);
        begin();
        await().atMost(10, SECONDS).until(() -> reached.contains("service"));
        standing = standing(JoinState.READY, false);
        await().atMost(10, SECONDS).until(() -> disk.isAsked("begins"));
        await().during(LONGER_THAN_IT_LOOKS).until(() -> !reached.contains("partOnDisk"));

        disk.answer(true);

        await().atMost(10, SECONDS).until(() -> reached.contains("partOnDisk"));
        assertThat(disk.unfinished).isTrue();
    }

    /// The file may have been deleted all the same.
    @Test
    void nodeThatHasLessAfterItsDiskFailed_goesOnWhenItsDiskKnowsThat() {
        disk.unfinished = true;
        begin();
        standing = standing(JoinState.READY, true);
        await().atMost(10, SECONDS).until(() -> disk.isAsked("ends"));

        standing = standing(JoinState.READY, false);
        disk.answer(false);

        await().atMost(20, SECONDS).until(() -> disk.isAsked("begins"));
        assertThat(reached).doesNotContain("partOnDisk");
    }

    /// What is deleted just now is not there.
    @Test
    void nodeThatHasLessWhileItsDiskIsToldThatItIsWhole_waits() {
        disk.unfinished = true;
        begin();
        standing = standing(JoinState.READY, true);
        await().atMost(10, SECONDS).until(() -> disk.isAsked("ends"));

        standing = standing(JoinState.READY, false);
        await().during(LONGER_THAN_IT_LOOKS).until(() -> !reached.contains("partOnDisk"));
        disk.answer(true);

        await().atMost(10, SECONDS).until(() -> disk.isAsked("begins"));
        disk.answer(true);
        await().atMost(10, SECONDS).until(() -> reached.contains("partOnDisk"));
    }

    @Test
    void nodeThatIsWhole_servesWhenItsDiskKnowsIt_thoughThatFailedBefore() {
        standing = standing(JoinState.SEEKING, true);
        begin();
        standing = standing(JoinState.SEEKING, false);
        await().atMost(10, SECONDS).until(() -> disk.isAsked("begins"));
        disk.answer(false);
        await().atMost(20, SECONDS).until(() -> disk.isAsked("begins"));
        disk.answer(true);
        await().atMost(10, SECONDS).until(() -> reached.contains("partOnDisk"));

        standing = standing(JoinState.READY, true);
        await().atMost(10, SECONDS).until(() -> disk.isAsked("ends"));
        await().during(LONGER_THAN_IT_LOOKS).until(() -> !reached.contains("service"));
        disk.answer(true);

        await().atMost(10, SECONDS).until(() -> reached.contains("service"));
    }

    private void begin() {
        new Entry(() -> standing, disk, background, new Entry.Reached() {
                    @Override
                    public void service() {
                        reached.add("service");
                    }

                    @Override
                    public void partOnDisk() {
                        reached.add("partOnDisk");
                    }
                })
                .begin();
    }

    private static ReplicationStatus.Joining standing(JoinState state, boolean whole) {
        return new ReplicationStatus.Joining(state, 0, 0, 0, 0, 100, whole ? Share.WHOLE : Share.PART, false);
    }

    /// A disk that answers when the test says so.
    private static final class RememberedJoin implements FirstJoin {
        private record Asked(String what, Runnable done, Runnable failed) {}

        volatile boolean unfinished;
        private volatile @Nullable Asked asked;

        boolean isAsked(String what) {
            Asked now = asked;
            return now != null && now.what.equals(what);
        }

        void answer(boolean well) {
            Asked now = asked;
            assertThat(now).isNotNull();
            asked = null;
            if (well) {
                unfinished = now.what.equals("begins");
                now.done.run();
            } else {
                now.failed.run();
            }
        }

        @Override
        public boolean isUnfinished() {
            return unfinished;
        }

        @Override
        public void begins() {
            unfinished = true;
        }

        @Override
        public void begins(Runnable done, Runnable failed) {
            asked = new Asked("begins", done, failed);
        }

        @Override
        public void ends(Runnable done, Runnable failed) {
            asked = new Asked("ends", done, failed);
        }
    }
}
