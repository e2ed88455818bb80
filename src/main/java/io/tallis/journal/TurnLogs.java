package io.tallis.journal;

import io.tallis.crdt.Replicas;
import io.tallis.keyspace.TurnLog;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// The turn logs of all threads, which share one inbox.
final class TurnLogs {
    private final Replicas replicas;
    private final Inbox inbox = new Inbox();
    private final List<BufferedTurnLog> logs = new CopyOnWriteArrayList<>();
    private volatile Runnable wake = () -> {};

    TurnLogs(Replicas replicas) {
        this.replicas = replicas;
    }

    Inbox inbox() {
        return inbox;
    }

    /// Says what to do when a turn is handed over, on the thread that does so.
    void wakes(Runnable wake) {
        this.wake = wake;
    }

    TurnLog newLog() {
        BufferedTurnLog log = new BufferedTurnLog(replicas, inbox, () -> wake.run());
        logs.add(log);
        return log;
    }

    List<BufferedTurnLog> all() {
        return logs;
    }

    long bytesWaiting() {
        return logs.stream().mapToLong(BufferedTurnLog::bytesWaiting).sum();
    }

    long turnsWaiting() {
        return logs.stream().mapToLong(BufferedTurnLog::turnsWaiting).sum();
    }
}
