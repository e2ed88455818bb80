package io.tallis.resp;

import io.tallis.runtime.Live;
import java.util.concurrent.atomic.AtomicLong;

/// The memory that the requests, replies and messages of all clients take together, summed from what each event loop
/// counted last. Any thread may call.
final class ClientMemory {
    /// About how many bytes a message takes besides its content until it is encoded.
    static final int MESSAGE_OVERHEAD = 128;

    /// An event loop counts again after as much traffic as this part of the limit.
    private static final int CHECKS_PER_LIMIT = 8;

    /// Messages that wait to be encoded may take this part of the limit before no further request is handled. A single
    /// request can exceed that: it makes a message for each subscriber, and a transaction does so for each command.
    private static final int FLOOD_PART = 8;

    /// The overhead of messages may take this part of the limit, whatever happens.
    private static final int MESSAGE_PART = 2;

    private final Live<RespLimits> limits;
    private final int loops;
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong messageBytes = new AtomicLong();

    ClientMemory(Live<RespLimits> limits, int loops) {
        this.limits = limits;
        this.loops = loops;
    }

    /// Adds the difference between two counts of one event loop.
    void changedBy(long difference) {
        bytes.addAndGet(difference);
    }

    /// Whether all clients exceed the limit and the event loop whose clients take `ownBytes` must close some of them:
    /// an event loop that takes no more than its part of the limit leaves that to the others.
    boolean mustShrink(long ownBytes) {
        long limit = limits.now().clientsBytes();
        return bytes.get() > limit && ownBytes > limit / loops;
    }

    /// Whether all clients take at least half of the limit, so that none may leave many replies waiting.
    boolean isHalfFull() {
        return bytes.get() >= limits.now().clientsBytes() / 2;
    }

    /// A message of so many bytes waits to be encoded.
    void messageAdded(long bytes) {
        messages.incrementAndGet();
        messageBytes.addAndGet(bytes);
    }

    /// A message of so many bytes was encoded or dropped.
    void messageRemoved(long bytes) {
        messages.decrementAndGet();
        messageBytes.addAndGet(-bytes);
    }

    /// Whether so many messages wait that no request should be handled which may add more.
    boolean isFlooded() {
        long waiting = messageBytes.get();
        return waiting > 0 && waiting > limits.now().clientsBytes() / FLOOD_PART;
    }

    /// Whether there is no room for another message. Counts messages and not their bytes, since the messages of one
    /// request share their content.
    boolean isFullOfMessages() {
        return messages.get() > limits.now().clientsBytes() / MESSAGE_PART / MESSAGE_OVERHEAD;
    }

    /// Whether an event loop has moved so many bytes since it last counted that it should count again.
    boolean needsCheckAfter(long movedBytes) {
        return movedBytes > limits.now().clientsBytes() / CHECKS_PER_LIMIT / loops;
    }
}
