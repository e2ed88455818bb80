package io.tallis.cluster.jgroups;

import java.io.DataInput;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jgroups.Address;
import org.jgroups.annotations.Property;
import org.jgroups.blocks.cs.Connection;
import org.jgroups.conf.AttributeType;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.TCP_NIO2;
import org.jspecify.annotations.Nullable;

/// TCP that hangs up where no whole message has come for a while, so that what is sent next goes over a new connection.
///
/// What a cut network has lost, the kernel sends again after a pause that doubles each time: a connection that was cut
/// for ten seconds may take ten more to go on, though all others have long been whole. Members tell that they are there
/// several times in that while, so who is silent is cut off, dead, stands still, or is behind a line on which a message
/// takes longer; and loses nothing that would not be asked for. A line so slow needs a longer while.
public final class FreshTcp extends TCP_NIO2 {
    private static final long LOOK_MILLIS = 250;

    @Property(
            description = "How long no message may come over a connection before it is closed; 0 is for ever",
            type = AttributeType.TIME)
    private long silence;

    private final Set<Address> heard = ConcurrentHashMap.newKeySet();

    /// For how many looks each has been silent; a pause of this process is one. For one look at a time.
    private final Map<Connection, Integer> silent = new HashMap<>();

    private @Nullable Future<?> looking;
    private boolean ran;

    public FreshTcp() {
        // On the wire it is TCP_NIO2.
        id = ClassConfigurator.getProtocolId(TCP_NIO2.class);
    }

    @Override
    public void start() throws Exception {
        super.start();
        if (silence > 0) {
            looking = getTimer().scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    @Override
    protected void handleConnect() throws Exception {
        ran = true;
        super.handleConnect();
    }

    /// The server has its port from when it is made, and gives it back only at the end of its thread: one that never
    /// ran, since another protocol could not start, would keep it from the next channel.
    @Override
    public void stop() {
        if (looking != null) {
            looking.cancel(false);
        }
        if (server != null && !ran) {
            runOnce();
        }
        super.stop();
    }

    private void runOnce() {
        ran = true;
        try {
            server.start();
        } catch (Exception failed) {
            log.warn("the port stays taken: %s", failed.getMessage());
        }
    }

    /// All that comes over connections comes by here, a whole message at a time.
    @Override
    public void receive(Address sender, DataInput in, int length) throws Exception {
        if (silence > 0) {
            heard.add(sender);
        }
        super.receive(sender, in, length);
    }

    /// Closes the very connection that was silent, never one that has just taken its place.
    private void look() {
        Map<Connection, Address> connected = new HashMap<>();
        server.forAllConnections((peer, connection) -> connected.put(connection, peer));
        heard.retainAll(connected.values());
        silent.keySet().retainAll(connected.keySet());
        connected.forEach(this::look);
    }

    private void look(Connection connection, Address peer) {
        if (heard.remove(peer)) {
            silent.remove(connection);
        } else if (silent.merge(connection, 1, Integer::sum) * LOOK_MILLIS > silence) {
            silent.remove(connection);
            server.closeConnection(connection, false);
        }
    }
}
