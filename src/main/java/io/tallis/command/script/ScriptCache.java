package io.tallis.command.script;

import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The scripts that clients have sent, by SHA-1. Bounded by what they take in memory: beyond it the oldest are
/// forgotten that were not used lately, and their callers get `NOSCRIPT`, upon which clients send them again. Any
/// thread may call.
final class ScriptCache {
    /// What all scripts take at most. One is larger only if it is alone.
    private static final long MOST_BYTES = 32L << 20;

    private final Map<String, Kept> scripts = new ConcurrentHashMap<>();

    /// In the order in which they are looked at to be forgotten.
    private final ConcurrentLinkedQueue<Kept> order = new ConcurrentLinkedQueue<>();

    private final AtomicLong bytes = new AtomicLong();

    private static final class Kept {
        private final Script script;
        private volatile boolean used;

        Kept(Script script) {
            this.script = script;
        }
    }

    /// The script with this SHA-1, in digits of either case, or null.
    @Nullable
    Script find(String sha1) {
        Kept kept = scripts.get(sha1);
        if (kept == null) {
            kept = scripts.get(sha1.toLowerCase(Locale.ROOT));
        }
        if (kept == null) {
            return null;
        }
        if (!kept.used) {
            kept.used = true;
        }
        return kept.script;
    }

    /// Finds a script, or compiles and keeps it.
    Script of(byte[] text) {
        String sha1 = Script.sha1(text);
        Script known = find(sha1);
        if (known != null) {
            return known;
        }
        Script script = Script.compile(sha1, text);
        Kept kept = new Kept(script);
        if (scripts.putIfAbsent(sha1, kept) == null) {
            order.add(kept);
            bytes.addAndGet(script.bytes());
            forgetUnused(kept);
        }
        return script;
    }

    private void forgetUnused(Kept newest) {
        while (bytes.get() > MOST_BYTES) {
            Kept oldest = order.poll();
            if (oldest == null) {
                return;
            }
            if (oldest.used || oldest == newest) {
                oldest.used = false;
                order.add(oldest);
                if (oldest == newest && order.size() == 1) {
                    return;
                }
            } else if (scripts.remove(oldest.script.sha1(), oldest)) {
                bytes.addAndGet(-oldest.script.bytes());
            }
        }
    }

    void clear() {
        for (Iterator<Kept> all = order.iterator(); all.hasNext(); ) {
            Kept kept = all.next();
            all.remove();
            if (scripts.remove(kept.script.sha1(), kept)) {
                bytes.addAndGet(-kept.script.bytes());
            }
        }
    }

    int size() {
        return scripts.size();
    }

    long bytes() {
        return bytes.get();
    }
}
