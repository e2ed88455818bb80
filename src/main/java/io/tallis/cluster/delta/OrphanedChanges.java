package io.tallis.cluster.delta;

import io.tallis.cluster.peer.Progress;
import io.tallis.cluster.peer.Sessions;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// A watch list of sessions that have gone while this node had some of their changes out of order: if they do not come
/// back, it has the other nodes pull those changes from here.
///
/// Example: session S sends DELTA 6 and DELTA 7 and crashes. This node received only 7.
///
///     this node has    the changes of frame 7        its vector says    S up to frame 5
///     peers have       S up to frame 5               they compare       equal: nothing to pull
///
/// A vector can tell only of frames without a gap (`Progress`), so the changes of frame 7 are *unnumbered* here. While
/// S lives that is harmless, since every node gets them from S. When S is gone, this node may be the only one to have
/// them, and no peer would ever ask. So it raises its news number, which says "compare everything with me", and the
/// peers pull.
///
/// Such a pull compares all partitions on every node. Most sessions that become unreachable were paused or cut off and
/// are back soon, so only those that stay away for [#DELAY_NANOS] are announced.
public final class OrphanedChanges {
    private static final long DELAY_NANOS = TimeUnit.SECONDS.toNanos(2);

    /// For a session that was noted since the last [#announceDue], which sets the time.
    private static final long NO_TIME_YET = Long.MAX_VALUE;

    private final Sessions sessions;

    /// Unreachable sessions with unnumbered changes, and since when each has been in this list.
    private final Map<Progress, Long> waiting = new LinkedHashMap<>();

    private long delay = DELAY_NANOS;

    public OrphanedChanges(Sessions sessions) {
        this.sessions = sessions;
    }

    /// Changes of a session were merged, or it became unreachable.
    public void note(Progress progress) {
        if (!sessions.peers().isReachable(progress.session()) && progress.hasUnnumbered()) {
            waiting.putIfAbsent(progress, NO_TIME_YET);
        }
    }

    /// This node is about to stop and announces what it has at once.
    public void skipDelay() {
        delay = 0;
    }

    /// Announces the changes of sessions that stayed away. Returns whether there were any: then a beat is due.
    public boolean announceDue(long now) {
        boolean any = false;
        for (Iterator<Map.Entry<Progress, Long>> it = waiting.entrySet().iterator(); it.hasNext(); ) {
            Map.Entry<Progress, Long> entry = it.next();
            Progress progress = entry.getKey();
            if (entry.getValue() == NO_TIME_YET) {
                entry.setValue(now);
            }
            if (sessions.peers().isReachable(progress.session())) {
                it.remove();
            } else if (now - entry.getValue() >= delay) {
                it.remove();
                // The missing frames may have come from another node meanwhile, by a pull.
                if (progress.hasUnnumbered()) {
                    sessions.addNews();
                    progress.clearUnnumbered();
                    any = true;
                }
            }
        }
        return any;
    }
}
