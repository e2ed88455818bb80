package io.tallis.cluster;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/// What came of sessions that have departed and no number tells of, since frames before it are missing: it may be
/// here alone, so it becomes news, which others pull.
///
/// Not at once: most who depart stood still or were cut off, and come back. Then what is missing is asked for as
/// always, and the others need not compare everything. Nor all the time, when one who is not in reach can be heard.
final class Leftovers {
    private final Sessions sessions;
    private final Set<Progress> kept = new LinkedHashSet<>();

    Leftovers(Sessions sessions) {
        this.sessions = sessions;
    }

    /// Something came of a session, or it departed.
    void look(Progress progress) {
        if (!sessions.isPresent(progress.session()) && progress.knowsMoreThanItTells()) {
            kept.add(progress);
        }
    }

    /// Makes news of what is left of those that stay away. Returns whether there are any.
    boolean becameNews(long now) {
        boolean any = false;
        for (Iterator<Progress> it = kept.iterator(); it.hasNext(); ) {
            Progress progress = it.next();
            if (sessions.isPresent(progress.session())) {
                it.remove();
            } else if (sessions.staysAway(progress, now)) {
                it.remove();
                // Others may have told it by numbers meanwhile.
                if (progress.knowsMoreThanItTells()) {
                    sessions.haveNews();
                    progress.partsAreNews(now);
                    any = true;
                }
            }
        }
        return any;
    }
}
