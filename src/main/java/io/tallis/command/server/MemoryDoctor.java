package io.tallis.command.server;

import java.util.ArrayList;
import java.util.List;

/// The reply to `MEMORY DOCTOR`: problems with the memory and what to do about them. Its form is Redis's: a single
/// line, or a headline and a paragraph per finding.
final class MemoryDoctor {
    private static final long LITTLE = 5L << 20;
    private static final long PERCENT_NEARLY_FULL = 90;
    private static final long PERCENT_MUCH_DELETED = 20;
    private static final long PERCENT_MUCH_WAITING = 10;

    private final MemoryUse use;
    private final List<String> findings = new ArrayList<>();

    MemoryDoctor(MemoryUse use) {
        this.use = use;
        checkCounters();
        checkDeleted();
        checkHeap();
        checkClients();
    }

    private void checkCounters() {
        long bytes = use.counters().bytes();
        if (percent(bytes, use.limit()) > PERCENT_NEARLY_FULL) {
            findings.add("Nearly full: counters take " + Info.human(bytes) + " of at most " + limit()
                    + "; above that, new counters are refused with OOM. Raise maxmemory, or start with a larger heap"
                    + " (TALLIS_JAVA_OPTS=-Xmx...).");
        }
    }

    private void checkDeleted() {
        MemoryUse.Counters counters = use.counters();
        long percent = percent(counters.deletedBytes(), use.limit());
        if (percent >= PERCENT_MUCH_DELETED) {
            findings.add("Deleted counters: " + counters.deletedCells() + " of " + counters.cells()
                    + " cells keep the totals of deleted counters. They take about "
                    + Info.human(counters.deletedBytes()) + ", " + percent + " % of the limit of " + limit()
                    + ". Those that expired leave memory after expiry-grace; so do all on a node that was never in a cluster. In a"
                    + " cluster a purge drops the others when all nodes are there: INFO replication says in purge_waits_for"
                    + " what is missing, and SYSTEM PURGE begins one.");
        }
    }

    private void checkHeap() {
        long percent = percent(use.heap().used(), use.heap().max());
        if (percent > PERCENT_NEARLY_FULL) {
            findings.add("Full heap: " + percent + " % of "
                    + Info.human(use.heap().max())
                    + " is used, garbage included. Run MEMORY PURGE and check again; if it stays, start with a larger heap"
                    + " (TALLIS_JAVA_OPTS=-Xmx...).");
        }
    }

    private void checkClients() {
        if (percent(use.clients(), use.heap().max()) > PERCENT_MUCH_WAITING) {
            findings.add("Clients: buffered requests and replies take " + Info.human(use.clients())
                    + ". The fields qbuf, multi-mem and omem of CLIENT LIST show which clients they belong to.");
        }
    }

    private String limit() {
        return Info.human(use.limit());
    }

    private static long percent(long part, long all) {
        return all == 0 ? 0 : 100 * part / all;
    }

    String advice() {
        if (!findings.isEmpty()) {
            return "Problems found:\n\n * " + String.join("\n\n * ", findings) + "\n";
        }
        String bytes = Info.human(use.counters().bytes());
        return use.counters().bytes() < LITTLE
                ? "Counters take only " + bytes + ", too little to diagnose.\n"
                : "No problems found: counters take " + bytes + " of at most " + limit() + ".\n";
    }
}
