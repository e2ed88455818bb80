package io.tallis.cluster;

import java.util.List;
import java.util.concurrent.TimeUnit;

/// Tells people what a session waits for, and what would end that: once for each reason, when it has waited for long.
final class WaitNews {
    /// Where others may be that it does not find.
    static final String ELSEWHERE =
            "they may be elsewhere (cluster-seeds, cluster-multicast), or have another cluster-name or cluster-key-file";

    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final EventSink events;
    private final OwnShare share;
    private String told = "";
    private long since = Long.MAX_VALUE;

    WaitNews(EventSink events, OwnShare share) {
        this.events = events;
        this.share = share;
    }

    void findsNobody(long now) {
        waits("finds nobody and waits, as " + reason() + ": " + ELSEWHERE + ". " + wayOut(), now);
    }

    void hearsNothing(long now) {
        waits("hears nothing from those that are there, and waits for it: see SYSTEM NODES. " + wayOut(), now);
    }

    void seesNobodyServe(long now) {
        waits(
                "waits for one that serves, since none of those that are there does, and " + reason() + ". " + wayOut(),
                now);
    }

    /// `whose` are the names of those who had what is not in the journal.
    void lacks(List<String> whose, long now) {
        waits("waits for its disk, or for what is on its way of what " + String.join(", ", whose) + " had", now);
    }

    /// It waits, now as it may have before.
    private void waits(String what, long now) {
        since = Math.min(since, now);
        if (!told.equals(what) && now - since >= LONG_NANOS) {
            told = what;
            events.happened(what);
        }
    }

    private String reason() {
        return share.lacksSomething() ? "there is more than it has" : "cluster-alone-timeout wants it";
    }

    private String wayOut() {
        return share.share().wayOut();
    }

    /// It waits no more.
    void over() {
        since = Long.MAX_VALUE;
    }

    /// The process has stood still for so long, and has not waited meanwhile.
    void stoodStill(long nanos) {
        since += since == Long.MAX_VALUE ? 0 : nanos;
    }
}
