package io.tallis.resp;

import io.tallis.runtime.Live;
import java.util.concurrent.atomic.AtomicLong;

/// What the requests and replies of all clients take together, on all event loops, as each last counted its own. Any
/// thread may call.
final class Crowd {
    /// How often it is counted while as much as they may take goes to and fro.
    private static final int COUNTS = 8;

    private final Live<RespLimits> limits;
    private final int loops;
    private final AtomicLong bytes = new AtomicLong();
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

    /// So many bytes of messages more wait to be encoded, or fewer.
    void messagesWait(long more) {
        messageBytes.addAndGet(more);
    }

    /// Whether so many messages wait to be encoded that nobody should make any more. One request may make one for each
    /// subscription that there is.
    boolean isFlooded() {
        return messageBytes.get() > limits.now().clientsBytes() / COUNTS;
    }

    /// Whether so many bytes have gone to and fro on one event loop that it should count again.
    boolean mayHaveGrownBy(long movedBytes) {
        return movedBytes > limits.now().clientsBytes() / COUNTS / loops;
    }
}
