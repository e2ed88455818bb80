package io.tallis.acl;

import io.tallis.runtime.Clock;
import java.util.ArrayList;
import java.util.List;

/// What was denied lately, for `ACL LOG`. Any thread may call.
///
/// A denial like one of the latest is counted there, so that a client in a loop does not push out everything else. The
/// setting `acllog-max-len` bounds the entries.
public final class AccessLog {
    private static final int COMPARED = 10;
    private static final long SAME_MILLIS = 60_000;

    private final Clock clock;
    private final List<Entry> entries = new ArrayList<>();
    private long nextId;

    AccessLog(Clock clock) {
        this.clock = clock;
    }

    /// What was denied. `reason` is `command`, `key`, `channel`, `auth` or `tls-cert`, and `context` `toplevel`,
    /// `multi` or `lua`.
    public record Event(String reason, String context, String object, String user) {}

    /// An event, how often it happened, and the client that it last happened to, as `CLIENT LIST` describes it.
    public record Entry(long id, long count, Event event, String client, long createdMillis, long updatedMillis) {
        private Entry again(String lastClient, long now) {
            return new Entry(id, count + 1, event, lastClient, createdMillis, now);
        }
    }

    /// Keeps at most `most` entries.
    synchronized void add(Event event, String client, int most) {
        long now = clock.epochMillis();
        entries.addFirst(known(event, client, now));
        while (entries.size() > most) {
            entries.removeLast();
        }
    }

    private Entry known(Event event, String client, long now) {
        for (int i = 0; i < Math.min(COMPARED, entries.size()); i++) {
            Entry entry = entries.get(i);
            if (entry.event.equals(event) && now - entry.updatedMillis <= SAME_MILLIS) {
                entries.remove(i);
                return entry.again(client, now);
            }
        }
        return new Entry(nextId++, 1, event, client, now, now);
    }

    /// The newest entries, newest first.
    public synchronized List<Entry> newest(int count) {
        return List.copyOf(entries.subList(0, Math.min(count, entries.size())));
    }

    public synchronized void clear() {
        entries.clear();
    }

    /// The seconds since an entry last happened.
    public double ageSeconds(Entry entry) {
        return (clock.epochMillis() - entry.updatedMillis()) / 1000.0;
    }
}
