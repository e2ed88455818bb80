package io.tallis.journal.log;

/// Measures how much the journal has grown since the last checkpoint, and decides whether the next is due. For all
/// threads.
public final class Growth {
    /// How many times the usual size the journal may reach before a checkpoint while other nodes fill this one.
    private static final int FILLING_FACTOR = 4;

    private final LogWriter log;
    private final long checkpointBytes;

    /// How much had been written when the last checkpoint began.
    private volatile long checkpointedBytes;

    /// The same for the last checkpoint that succeeded.
    private volatile long releasedBytes;

    private volatile boolean filling;

    Growth(LogWriter log, JournalSettings settings) {
        this.log = log;
        checkpointBytes = settings.checkpointBytes();
    }

    /// A checkpoint begins that covers the first `writtenBytes` bytes.
    void checkpointBegins(long writtenBytes) {
        checkpointedBytes = writtenBytes;
    }

    void checkpointSucceeded() {
        releasedBytes = checkpointedBytes;
    }

    /// While other nodes fill this one, a checkpoint would take the processor from what clients wait for, so it comes
    /// later.
    void filling(boolean filling) {
        this.filling = filling;
    }

    boolean isFilling() {
        return filling;
    }

    boolean isEnoughForCheckpoint() {
        return bytesSinceCheckpoint() > checkpointBytes * (filling ? FILLING_FACTOR : 1);
    }

    /// Whether the next checkpoint is due before the present one has ended.
    boolean outgrowsCheckpoint() {
        return bytesSinceCheckpoint() >= checkpointBytes;
    }

    long bytesSinceCheckpoint() {
        return log.bytesWritten() - checkpointedBytes;
    }

    /// How much has been written that no checkpoint covers.
    public long bytesNeeded() {
        return log.bytesWritten() - releasedBytes;
    }
}
