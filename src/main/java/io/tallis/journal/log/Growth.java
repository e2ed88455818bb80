package io.tallis.journal.log;

/// How much journal there is that no checkpoint has made needless, and when that is enough for one. For all threads.
public final class Growth {
    /// How many times the usual size the journal may reach before a checkpoint while the node is filled.
    private static final int FILLING_FACTOR = 4;

    private final LogWriter log;
    private final long checkpointBytes;

    /// How much had been written when the last checkpoint began, and the last one that succeeded.
    private volatile long checkpointedBytes;

    private volatile long releasedBytes;
    private volatile boolean filling;

    Growth(LogWriter log, JournalSettings settings) {
        this.log = log;
        checkpointBytes = settings.checkpointBytes();
    }

    /// A checkpoint begins, with what was written before `writtenBytes` were.
    void checkpointBegins(long writtenBytes) {
        checkpointedBytes = writtenBytes;
    }

    void checkpointSucceeded() {
        releasedBytes = checkpointedBytes;
    }

    /// While the node is filled by others, a checkpoint takes the processor from what clients wait for: it may wait
    /// longer.
    void filling(boolean filling) {
        this.filling = filling;
    }

    boolean isFilling() {
        return filling;
    }

    boolean isEnoughForCheckpoint() {
        return bytesSinceCheckpoint() > checkpointBytes * (filling ? FILLING_FACTOR : 1);
    }

    /// Whether the next checkpoint would be due before the present one has ended.
    boolean outgrowsCheckpoint() {
        return bytesSinceCheckpoint() >= checkpointBytes;
    }

    long bytesSinceCheckpoint() {
        return log.bytesWritten() - checkpointedBytes;
    }

    /// How much has been written that no checkpoint has made needless.
    public long bytesNeeded() {
        return log.bytesWritten() - releasedBytes;
    }
}
