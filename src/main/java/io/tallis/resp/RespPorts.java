package io.tallis.resp;

import io.tallis.command.Client;
import io.tallis.command.dispatch.RequestHandler;
import io.tallis.keyspace.Keyspace;
import io.tallis.keyspace.TurnLog;
import io.tallis.metrics.DurationHistogram;
import io.tallis.metrics.NetworkStats;
import io.tallis.runtime.Clock;
import java.util.function.Supplier;

/// What the RESP server needs from other parts: the handler of requests, a log of changes for each event loop, the
/// counters, an observer of clients, the time, statistics. `delays` are how late event loops run tasks. `afterTurn` is
/// called on an event loop when the changes of a turn have been handed to the journal, and must be quick.
public record RespPorts(
        RequestHandler handler,
        Supplier<TurnLog> turnLogs,
        Keyspace keyspace,
        ClientObserver observer,
        Clock clock,
        NetworkStats stats,
        DurationHistogram delays,
        Runnable afterTurn) {

    /// Receives connects and disconnects, on the event loop of each client.
    public interface ClientObserver {
        /// A client has connected and has not sent anything yet.
        void opened(Client client);

        /// The client has a certificate with this common name, which an authority of the settings has signed. It has
        /// not sent anything else yet.
        default void certified(Client client, String commonName) {}

        /// A client has disconnected and no request of it will be handled. Called once for each client that was opened.
        void closed(Client client);
    }
}
