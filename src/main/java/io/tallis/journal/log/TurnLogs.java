package io.tallis.journal.log;

import io.tallis.crdt.Replicas;
import io.tallis.keyspace.TurnLog;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// The turn logs of all threads, and the inbox into which they hand their turns.
public final class TurnLogs {
    private final Replicas replicas;
    private final TurnStack inbox = new TurnStack();
    private final List<BufferedTurnLog> logs = new CopyOnWriteArrayList<>();
    private volatile Taker taker = _ -> {};

    public TurnLogs(Replicas replicas) {
        this.replicas = replicas;
    }

    public TurnStack inbox() {
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
    public TurnLog newLog() {
        return newLog(true);
    }

    /// A log for a thread that never writes.
    public TurnLog newLogWrittenByOthers() {
        return newLog(false);
    }

    private TurnLog newLog(boolean mayWrite) {
        BufferedTurnLog log = new BufferedTurnLog(replicas, inbox, () -> taker.handedOver(mayWrite));
        logs.add(log);
        return log;
    }

    public List<BufferedTurnLog> all() {
        return logs;
    }

    public long bytesWaiting() {
        return logs.stream().mapToLong(BufferedTurnLog::bytesWaiting).sum();
    }

    public long turnsWaiting() {
        return logs.stream().mapToLong(BufferedTurnLog::turnsWaiting).sum();
    }
}
