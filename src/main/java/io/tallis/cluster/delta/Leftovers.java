package io.tallis.cluster.delta;

import io.tallis.cluster.peer.Progress;
import io.tallis.cluster.peer.Sessions;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// What came of sessions that have departed and no number tells of, since frames before it are missing: it may be
/// here alone, so it becomes news, which others pull.
///
/// Not at once: most who depart stood still or were cut off, and come back. Then what is missing is asked for as
/// always, and the others need not compare everything. Nor all the time, when one who is not in reach can be heard,
/// as one is whose frames come through a healed network before the view does.
public final class Leftovers {
    /// Who does not come back in this time stays away.
    private static final long RETURN_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long FROM_NOW = Long.MAX_VALUE;

    private final Sessions sessions;

    /// Those of whom something is left, and since when.
    private final Map<Progress, Long> kept = new LinkedHashMap<>();

    private long patience = RETURN_NANOS;

    public Leftovers(Sessions sessions) {
        this.sessions = sessions;
    }

    /// Something came of a session, or it departed.
    public void look(Progress progress) {
        if (!sessions.peers().isReachable(progress.session()) && progress.knowsMoreThanItTells()) {
            kept.putIfAbsent(progress, FROM_NOW);
        }
    }

    /// This node is about to stop, and nobody could be told later.
    public void hurry() {
        patience = 0;
    }

    /// Makes news of what is left of those that stay away. Returns whether there are any.
    public boolean becameNews(long now) {
        boolean any = false;
        for (Iterator<Map.Entry<Progress, Long>> it = kept.entrySet().iterator(); it.hasNext(); ) {
            Map.Entry<Progress, Long> entry = it.next();
            Progress progress = entry.getKey();
            if (entry.getValue() == FROM_NOW) {
                entry.setValue(now);
            }
            if (sessions.peers().isReachable(progress.session())) {
                it.remove();
            } else if (now - entry.getValue() >= patience) {
                it.remove();
                // Others may have told it by numbers meanwhile.
                if (progress.knowsMoreThanItTells()) {
                    sessions.addNews();
                    progress.partsAreNews();
                    any = true;
                }
            }
        }
        return any;
    }
}
