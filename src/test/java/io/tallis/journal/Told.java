package io.tallis.journal;

import io.tallis.keyspace.TurnLog.Outcome;
import java.util.concurrent.CountDownLatch;

/// An outcome that remembers what it was told.
final class Told implements Outcome {
    private final CountDownLatch told = new CountDownLatch(1);
    private volatile boolean written;
    private volatile boolean lost;

    @Override
    public void written() {
        written = true;
        told.countDown();
    }

    @Override
    public void lost() {
        lost = true;
        told.countDown();
    }

    boolean isWritten() {
        return written;
    }

    boolean isLost() {
        return lost;
    }

    boolean isOpen() {
        return told.getCount() > 0;
    }

    void await() throws InterruptedException {
        told.await();
    }
}
