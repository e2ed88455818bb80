package io.tallis.cluster;

import io.tallis.crdt.ReplicaId;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// Notices when sessions that hear each other stay out of each other's views, and has one of both join anew.
///
/// Views heal by themselves in a second or two; when they do not, something in the membership hangs, and nobody would
/// ever ask anybody for what is missing. A beat tells whom its sender sees.
///
///     it sees me, I see it      all is well
///     it does not, I do         I join anew
///     it does, I do not         it joins anew
///     neither sees the other    the one with the larger id joins anew
final class Sight {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(15);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(10);

    /// Between beats there is no more than this, or they count as new ones.
    private static final long LONGEST_SILENCE_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final Sessions sessions;
    private final Sender sender;
    private final EventSink events;
    private final Map<ReplicaId, Blindness> blind = new HashMap<>();
    private long pause = PATIENCE_NANOS;
    private long earliest;

    Sight(Sessions sessions, Sender sender, EventSink events) {
        this.sessions = sessions;
        this.sender = sender;
        this.events = events;
    }

    /// Since when beats of a session have told that one of both does not see the other, and that this one is to act.
    private record Blindness(long since, long last) {}

    /// A beat of another session came.
    void onBeat(ReplicaId from, Beat beat, long now) {
        boolean seen = beat.sees().contains(sessions.self());
        boolean sees = sessions.isPresent(from);
        if (seen || (!sees && from.compareTo(sessions.self()) > 0)) {
            blind.remove(from);
            return;
        }
        Blindness before = blind.get(from);
        long since = before == null || now - before.last > LONGEST_SILENCE_NANOS ? now : before.since;
        blind.put(from, new Blindness(since, now));
        if (now - since >= PATIENCE_NANOS && now >= earliest) {
            blind.clear();
            events.happened("joins anew, as it hears " + from + " and is not seen by it");
            sender.rejoin();
            earliest = now + pause;
            pause = Math.min(LONGEST_PAUSE_NANOS, 2 * pause);
        }
    }

    /// Sessions that have fallen silent are no matter any more. Called now and then.
    void forgetSilent(long now) {
        blind.values().removeIf(blindness -> now - blindness.last > LONGEST_SILENCE_NANOS);
        if (now >= earliest + LONGEST_PAUSE_NANOS) {
            pause = PATIENCE_NANOS;
        }
    }
}
