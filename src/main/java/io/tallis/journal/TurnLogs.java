package io.tallis.journal;

import io.tallis.crdt.Replicas;
import io.tallis.keyspace.TurnLog;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// The turn logs of all threads, and the inbox into which they hand their turns.
final class TurnLogs {
    private final Replicas replicas;
    private final Inbox inbox = new Inbox();
    private final List<BufferedTurnLog> logs = new CopyOnWriteArrayList<>();
    private volatile Taker taker = _ -> {};

    TurnLogs(Replicas replicas) {
        this.replicas = replicas;
    }

    Inbox inbox() {
        return inbox;
    }

    /// Called when a turn was handed over, on the thread that did so. `mayWrite` says whether that thread may write it
    /// itself; else it must never wait for the disk.
    @FunctionalInterface
    interface Taker {
        void handedOver(boolean mayWrite);
    }

    void goTo(Taker taker) {
        this.taker = taker;
    }

    /// A log for a thread that may write its turns itself when that is sure to be short.
    TurnLog newLog() {
        return newLog(true);
    }

    /// A log for a thread that never writes.
    TurnLog newLogWrittenByOthers() {
        return newLog(false);
    }

    private TurnLog newLog(boolean mayWrite) {
        BufferedTurnLog log = new BufferedTurnLog(replicas, inbox, () -> taker.handedOver(mayWrite));
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
