package io.tallis.command.server;

import java.util.ArrayList;
import java.util.List;

/// The answer to `MEMORY DOCTOR`: what is wrong with the memory and what helps, in the form of Redis's: a line, or
/// a headline and a paragraph for each finding.
final class MemoryDoctor {
    private static final long LITTLE = 5L << 20;
    private static final long PERCENT_NEARLY_FULL = 90;
    private static final long PERCENT_MUCH_DELETED = 20;
    private static final long PERCENT_MUCH_WAITING = 10;

    private final MemoryUse use;
    private final List<String> findings = new ArrayList<>();

    MemoryDoctor(MemoryUse use) {
        this.use = use;
        lookAtCounters();
        lookAtDeleted();
        lookAtHeap();
        lookAtClients();
    }

    private void lookAtCounters() {
        long bytes = use.counters().bytes();
        if (percent(bytes, use.limit()) > PERCENT_NEARLY_FULL) {
            findings.add("Nearly full: counters take " + InfoFields.human(bytes) + " of the " + limit()
                    + " that they may; beyond it new ones are refused with OOM. Raise maxmemory, or start with a larger"
                    + " heap (TALLIS_JAVA_OPTS=-Xmx...).");
        }
    }

    private void lookAtDeleted() {
        MemoryUse.Counters counters = use.counters();
        long percent = percent(counters.deletedBytes(), use.limit());
        if (percent >= PERCENT_MUCH_DELETED) {
            findings.add("Deleted counters: " + counters.deletedCells() + " of " + counters.cells()
                    + " cells are the watermarks that deleted counters leave behind. They take about "
                    + InfoFields.human(counters.deletedBytes()) + ", " + percent + " % of the " + limit()
                    + " that counters may take, and DEL does not free it. Use keys again instead of new ones"
                    + " for each day or session.");
        }
    }

    private void lookAtHeap() {
        long percent = percent(use.heap().used(), use.heap().max());
        if (percent > PERCENT_NEARLY_FULL) {
            findings.add("Full heap: " + percent + " % of "
                    + InfoFields.human(use.heap().max())
                    + " are used, garbage included; look again after MEMORY PURGE. If it stays, start with a larger"
                    + " heap (TALLIS_JAVA_OPTS=-Xmx...).");
        }
    }

    private void lookAtClients() {
        if (percent(use.clients(), use.heap().max()) > PERCENT_MUCH_WAITING) {
            findings.add("Clients: requests and replies that wait take " + InfoFields.human(use.clients())
                    + ". See qbuf, multi-mem and omem in CLIENT LIST for whose they are.");
        }
    }

    private String limit() {
        return InfoFields.human(use.limit());
    }

    private static long percent(long part, long all) {
        return all == 0 ? 0 : 100 * part / all;
    }

    String advice() {
        if (!findings.isEmpty()) {
            return "This deserves a look:\n\n * " + String.join("\n\n * ", findings) + "\n";
        }
        String bytes = InfoFields.human(use.counters().bytes());
        return use.counters().bytes() < LITTLE
                ? "Counters take no more than " + bytes + ", too little to find anything wrong with.\n"
                : "Nothing is wrong with the memory: counters take " + bytes + " of the " + limit()
                        + " that they may.\n";
    }
}
