package io.tallis.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class LongTasksTest {
    private final LongTasks tasks = new LongTasks();
    private final List<String> done = new CopyOnWriteArrayList<>();

    @Test
    void tasksOfOneRole_runInOrderOnOneThread() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(3);
        List<Thread> threads = new CopyOnWriteArrayList<>();
        for (String name : List.of("first", "second", "third")) {
            tasks.add("role", () -> {
                await(go);
                done.add(name);
                threads.add(Thread.currentThread());
                end.countDown();
            });
        }
        assertThat(done).isEmpty();

        go.countDown();

        end.await();
        assertThat(done).containsExactly("first", "second", "third");
        assertThat(threads).extracting(Thread::getName).containsOnly("role");
        assertThat(threads).allMatch(thread -> thread.equals(threads.getFirst()));
    }

    @Test
    void tasksOfDifferentRoles_runConcurrently() throws InterruptedException {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch other = new CountDownLatch(1);
        tasks.add("slow", () -> await(hanging));

        tasks.add("quick", other::countDown);

        other.await();
        hanging.countDown();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
