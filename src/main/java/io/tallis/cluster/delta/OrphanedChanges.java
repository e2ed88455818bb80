package io.tallis.cluster.delta;

import io.tallis.cluster.peer.Progress;
import io.tallis.cluster.peer.Sessions;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Unnumbered changes of sessions that are no longer reachable, until they are announced as news.
///
/// A node that merged frame 7 of a session but not frame 6 has changes of that session which its vector does not cover
/// (see [Progress]). While the session is reachable that does no harm, since every node gets them from the session
/// itself. If the session died, this node may be the only one that has them. Then the node raises its news number, and
/// its peers pull.
///
/// A pull compares all partitions, so it is not wanted after each short outage. Most sessions that become unreachable
/// were paused or cut off and come back soon; only those that stay away for [#DELAY_NANOS] are announced.
public final class OrphanedChanges {
    private static final long DELAY_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long NOT_SEEN_YET = Long.MAX_VALUE;

    private final Sessions sessions;

    /// Unreachable sessions with unnumbered changes, and since when they are here.
    private final Map<Progress, Long> waiting = new LinkedHashMap<>();

    private long delay = DELAY_NANOS;

    public OrphanedChanges(Sessions sessions) {
        this.sessions = sessions;
    }

    /// Changes of a session were merged, or it became unreachable.
    public void note(Progress progress) {
        if (!sessions.peers().isReachable(progress.session()) && progress.hasUnnumbered()) {
            waiting.putIfAbsent(progress, NOT_SEEN_YET);
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
            if (entry.getValue() == NOT_SEEN_YET) {
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
