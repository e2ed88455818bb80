package io.tallis.command.dispatch;

import io.tallis.command.Client;
import io.tallis.command.KeyEvent;
import io.tallis.command.KeyEvents;
import io.tallis.command.LoopState;
import io.tallis.command.notifications.Notifications;
import io.tallis.command.tracking.Tracking;
import io.tallis.keyspace.Counters;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/// The states of the event loops, each with what it has to tell of keys. The dispatchers of all ports share them: an
/// event loop has clients of several ports, and one place where its changes are noted.
public final class LoopStates {
    private final CommandRunner runner;
    private final Notifications notifications;
    private final Tracking tracking;
    private final Map<Counters, LoopState> loops = new ConcurrentHashMap<>();

    public LoopStates(CommandRunner runner, Notifications notifications, Tracking tracking) {
        this.runner = runner;
        this.notifications = notifications;
        this.tracking = tracking;
    }

    /// The state of the event loop of a client.
    LoopState of(Client client) {
        LoopState loop = client.loop();
        if (loop == null) {
            loop = loops.computeIfAbsent(client.counters(), this::made);
            client.loop(loop);
        }
        return loop;
    }

    private LoopState made(Counters counters) {
        KeyEvents events = notifications.newEvents();
        counters.onEnd(key -> events.add(KeyEvent.EXPIRED, key));
        counters.onChange(events::changed);
        return runner.newLoopState(events);
    }

    /// Tells what the request of a client has changed, when it holds no lock.
    void tell(LoopState loop, Client client) {
        KeyEvents events = loop.events();
        if (events.any()) {
            tracking.invalidate(events.takeChanged(), client);
            notifications.publish(events.take());
        }
    }
}
