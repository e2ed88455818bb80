package io.tallis.cluster;

import io.tallis.crdt.ReplicaId;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Absent sessions that were present once, and that something has come from lately: they are back, which the view tells
/// late, or never. Of many some.
final class Earshot {
    private static final int MOST = 256;

    /// In the time of so many beats one arrives, mostly.
    private static final int BEATS = 5;

    /// Who does not answer in this time may hear nobody.
    private static final long NEW_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final Map<ReplicaId, Heard> heard = new LinkedHashMap<>();

    private static final class Heard {
        private final long since;
        private long at;
        private boolean isNew = true;
        private @Nullable Beat beat;

        private Heard(long since) {
            this.since = since;
        }
    }

    void hears(ReplicaId session, long now) {
        if (heard.size() < MOST || heard.containsKey(session)) {
            heard.computeIfAbsent(session, _ -> new Heard(now)).at = now;
        }
    }

    void hears(ReplicaId session, Beat beat) {
        Heard here = heard.get(session);
        if (here != null) {
            here.beat = beat;
        }
    }

    /// The view tells of it.
    void isPresent(ReplicaId session) {
        heard.remove(session);
    }

    /// Who says nothing for so long, where so many are heard, is not there, mostly.
    static long silenceNanos(int sessions) {
        return BEATS * Beats.intervalNanos(sessions);
    }

    /// Forgets those that were not heard for long, where so many are in the view.
    void itIs(long now, int members) {
        long longest = silenceNanos(members + heard.size());
        heard.values().removeIf(here -> now - here.at > longest);
        heard.values().forEach(here -> here.isNew &= now - here.since <= NEW_NANOS);
    }

    Set<ReplicaId> all() {
        return Collections.unmodifiableSet(heard.keySet());
    }

    int size() {
        return heard.size();
    }

    boolean has(ReplicaId session) {
        return heard.containsKey(session);
    }

    /// Whether it is likely to be asked itself soon, and to answer.
    boolean isNew(ReplicaId session) {
        Heard here = heard.get(session);
        return here != null && here.isNew;
    }

    /// Those that have told how they stand.
    List<ReplicaId> thatHaveTold() {
        if (heard.isEmpty()) {
            // As nearly always, and this is asked in each turn.
            return List.of();
        }
        return heard.entrySet().stream()
                .filter(entry -> entry.getValue().beat != null)
                .map(Map.Entry::getKey)
                .toList();
    }

    /// How many cells one has that is or was whole; 0 if there is none.
    long mostCellsOfWholes() {
        return heard.values().stream()
                .map(here -> here.beat)
                .filter(beat -> beat != null && beat.share().wasWhole())
                .mapToLong(Beat::cells)
                .max()
                .orElse(0);
    }
}
