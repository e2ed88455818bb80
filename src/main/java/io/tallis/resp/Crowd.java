package io.tallis.resp;

import io.tallis.runtime.Live;
import java.util.concurrent.atomic.AtomicLong;

/// What the requests and replies of all clients take together, on all event loops, as each last counted its own. Any
/// thread may call.
final class Crowd {
    /// How often it is counted while as much as they may take goes to and fro.
    private static final int COUNTS = 8;

    /// The part of what they may take beyond which messages that wait are a flood, and the part that they may never
    /// exceed, be it by those of one request.
    private static final int FLOOD = 8;

    private static final int MOST_MESSAGES = 2;

    private final Live<RespLimits> limits;
    private final int loops;
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong messages = new AtomicLong();
    private final AtomicLong messageBytes = new AtomicLong();

    Crowd(Live<RespLimits> limits, int loops) {
        this.limits = limits;
        this.loops = loops;
    }

    /// An event loop has counted so many bytes more than the last time, or fewer.
    void counted(long more) {
        bytes.addAndGet(more);
    }

    /// Whether all take more than they may, and an event loop whose clients take that much has to do something about
    /// it: one that takes no more than its share leaves it to the others.
    boolean isTooMuchWith(long ownBytes) {
        long most = limits.now().clientsBytes();
        return bytes.get() > most && ownBytes > most / loops;
    }

    /// Whether all take half of what they may, or more.
    boolean isHalfOfWhatItMayBe() {
        return bytes.get() >= limits.now().clientsBytes() / 2;
    }

    /// A message of so many bytes waits to be encoded.
    void messageWaits(long bytes) {
        messages.incrementAndGet();
        messageBytes.addAndGet(bytes);
    }

    /// A message of so many bytes waits no longer.
    void messageTaken(long bytes) {
        messages.decrementAndGet();
        messageBytes.addAndGet(-bytes);
    }

    /// Whether so many messages wait to be encoded that no request that may make more should begin. One makes one for
    /// each subscription, and a transaction as many for each of its commands.
    boolean isFlooded() {
        long waiting = messageBytes.get();
        return waiting > 0 && waiting > limits.now().clientsBytes() / FLOOD;
    }

    /// Whether there is no room for messages that wait, however little they say: those of one request say the same.
    boolean isFullOfMessages() {
        return messages.get() > limits.now().clientsBytes() / MOST_MESSAGES / ConnectionLink.BYTES_OF_ONE;
    }

    /// Whether so many bytes have gone to and fro on one event loop that it should count again.
    boolean mayHaveGrownBy(long movedBytes) {
        return movedBytes > limits.now().clientsBytes() / COUNTS / loops;
    }
}
