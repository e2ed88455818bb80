package io.tallis.chaos;

import io.tallis.testing.RespSocket;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/// Changes that `WAIT 1` claimed to be in the journal of another node, of writers whose data was deleted then. Each
/// claimed one has to be found in the end.
final class WaitProof {
    private static final String WAIT_MILLIS = "1000";

    private final RunLog log;
    private final List<Probe> probes = new ArrayList<>();

    WaitProof(RunLog log) {
        this.log = log;
    }

    /// A counter to which one connection adds 1 again and again.
    private record Probe(String key, AtomicInteger sent, AtomicInteger claimed) {}

    int count() {
        return probes.size();
    }

    /// Begins to add on `writer`, which reaches one other node at most, until the connection ends with the writer.
    Thread begin(ChaosNode writer) {
        Probe probe = new Probe("probe:" + probes.size(), new AtomicInteger(), new AtomicInteger());
        probes.add(probe);
        return Thread.ofVirtual().name(probe.key).start(() -> write(probe, writer));
    }

    private void write(Probe probe, ChaosNode writer) {
        try (RespSocket socket = writer.connect()) {
            while (true) {
                int sent = probe.sent.incrementAndGet();
                String value = socket.call("INCRBY", probe.key, "1");
                if (!value.equals(Integer.toString(sent))) {
                    log.fail(writer + " replied " + value + " to addition " + sent + " to " + probe.key);
                    return;
                }
                String having = socket.call("WAIT", "1", WAIT_MILLIS);
                if (having.equals("1")) {
                    probe.claimed.set(sent);
                } else if (!having.equals("0")) {
                    log.fail(writer + " replied " + having + " to WAIT, and reaches one node at most");
                }
            }
        } catch (IOException ended) {
            // The writer was killed.
        }
    }

    /// What the latest probe claims.
    String latest() {
        Probe probe = probes.getLast();
        return probe.claimed + " of " + probe.sent + " changes";
    }

    /// Checks all claims, when all nodes agree.
    void check(RespSocket socket) throws IOException {
        for (Probe probe : probes) {
            long value = Histories.value(socket.call("GET", probe.key));
            if (value < probe.claimed.get() || value > probe.sent.get()) {
                log.fail(probe.key + " is " + value + ", but WAIT claimed that another node had " + probe.claimed.get()
                        + " of " + probe.sent.get());
            }
        }
    }
}
