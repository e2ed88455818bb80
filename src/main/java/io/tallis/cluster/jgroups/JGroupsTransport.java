package io.tallis.cluster.jgroups;

import io.tallis.cluster.frame.Transport;
import io.tallis.crdt.ReplicaId;
import io.tallis.runtime.Threads;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Event;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Message.Flag;
import org.jgroups.Message.TransientFlag;
import org.jgroups.View;
import org.jgroups.ViewId;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.Table;
import org.jgroups.util.UUID;
import org.jspecify.annotations.Nullable;

/// Transport between sessions over a channel of JGroups, on which a session's address is its replica id.
///
/// Multicasts and unreliable sends go without acknowledgement and flow control, so a peer that is slow, hung or gone
/// delays no other. A reliable send is repeated by JGroups until it is acknowledged and stays in memory until then; a
/// [SendWindow] bounds that memory for each member.
public final class JGroupsTransport implements Transport, AutoCloseable {
    /// A longer frame fits no datagram. It goes to each member by itself, in reliable pieces: of an unreliable frame
    /// that lost one piece, JGroups would keep the others in memory until the sender leaves.
    static final int LONGEST_MULTICAST = 60_000;

    private static final Logger LOG = System.getLogger(JGroupsTransport.class.getName());
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
    private static final int MOST_DOUBLINGS = 10;

    /// JGroups puts the name of a protocol before some messages.
    private static final Pattern PROTOCOL_NAME = Pattern.compile("^\\[\\w+] /?");

    private final ReplicaId self;
    private final JGroupsSettings settings;
    private final PacketGuard guard;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final LongAdder notSent = new LongAdder();
    private final Map<Address, SendWindow> windows = new ConcurrentHashMap<>();
    private volatile JChannel channel;
    private volatile Set<Address> members = Set.of();

    /// `events` takes what happens to this node, as sentences without their subject, on any thread. Throws
    /// [TransportException] when the settings are wrong.
    public JGroupsTransport(ReplicaId self, JGroupsSettings settings, Consumer<String> events) {
        this.self = self;
        this.settings = settings;
        guard = PacketGuard.of(settings, events);
        channel = newChannel();
        if (settings.keyFile() != null && ClusterKey.isOpenToAll(settings.keyFile())) {
            LOG.log(
                    Level.WARNING,
                    "Every user of this machine may read the cluster's keys in " + settings.keyFile()
                            + "; chmod 600 it");
        }
    }

    private JChannel newChannel() {
        JGroupsStack stack = JGroupsStack.of(settings, guard);
        try {
            JChannel made = new JChannel(stack);
            made.addAddressGenerator(() -> new UUID(self.high(), self.low()));
            return made.name(settings.node());
        } catch (Exception refused) {
            throw new TransportException("cluster-stack " + settings.stack() + " cannot be set up on " + settings.bind()
                    + ": "
                    + PROTOCOL_NAME
                            .matcher(String.valueOf(refused.getMessage()))
                            .replaceFirst(""));
        }
    }

    /// Starts to look for the others and returns at once. Retries until there is a connection or this is closed.
    public void connect(Receiver receiver) {
        Threads.start("cluster-connect", () -> connectWithRetries(receiver));
        if (!settings.seeds().isEmpty() || !settings.dns().isEmpty()) {
            Threads.start("cluster-names", this::checkNames);
        }
    }

    /// Warns about names that DNS does not know, since JGroups does not. Takes as long as DNS does.
    private void checkNames() {
        settings.seeds().forEach(seed -> checkName("cluster-seeds", seed.getHostString()));
        if (!settings.dns().isEmpty()) {
            List.of(settings.dns().split(",", 0)).forEach(name -> checkName("cluster-dns", name));
        }
    }

    private static void checkName(String setting, String name) {
        try {
            InetAddress _ = InetAddress.getByName(name);
        } catch (UnknownHostException _) {
            LOG.log(
                    Level.WARNING,
                    setting + ": " + name + " resolves to no address yet, so no node is found by it; it is looked up"
                            + " again and again");
        }
    }

    private void connectWithRetries(Receiver receiver) {
        int attempt = 0;
        while (!isConnected(attempt, receiver) && !isClosedWithin(pauseAfter(attempt))) {
            attempt++;
        }
    }

    private boolean isConnected(int attempt, Receiver receiver) {
        try {
            if (attempt > 0) {
                renewChannel();
            }
            channel.setReceiver(new Arrivals(receiver));
            channel.connect(settings.cluster());
            LOG.log(Level.INFO, "Cluster port " + channel.down(new Event(Event.GET_PHYSICAL_ADDRESS, address())));
            return true;
        } catch (Exception failed) {
            if (!isClosedWithin(Duration.ZERO)) {
                LOG.log(
                        Level.WARNING,
                        "Cannot open the cluster port at cluster-bind " + settings.bind() + ", cluster-port "
                                + settings.port() + ", trying again: " + reason(failed));
            }
            return false;
        }
    }

    /// The innermost cause says what the system refused.
    private static String reason(Throwable failed) {
        Throwable cause = failed;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return String.valueOf(cause.getMessage());
    }

    private static Duration pauseAfter(int attempt) {
        Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(attempt, MOST_DOUBLINGS));
        return pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE;
    }

    private boolean isClosedWithin(Duration pause) {
        try {
            return closed.await(pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException _) {
            return true;
        }
    }

    /// A channel that failed to connect may hold some of what it opened.
    private synchronized void renewChannel() {
        if (closed.getCount() > 0) {
            channel.close();
            channel = newChannel();
        }
    }

    JChannel channel() {
        return channel;
    }

    Address address() {
        return new UUID(self.high(), self.low());
    }

    @Override
    public void multicast(byte[] frame) {
        if (frame.length <= LONGEST_MULTICAST) {
            Message message = new BytesMessage(null, frame).setFlag(Flag.NO_RELIABILITY, Flag.NO_FC);
            pass(message.setFlag(TransientFlag.DONT_LOOPBACK));
            return;
        }
        Address own = address();
        for (Address member : members) {
            if (!member.equals(own)) {
                sendReliably(member, frame);
            }
        }
    }

    /// Not out of band, so what is sent to one member arrives in order. Dropped when the member has acknowledged too
    /// little of what it was sent before.
    private void sendReliably(Address member, byte[] frame) {
        if (!members.contains(member)) {
            notSent.increment();
            return;
        }
        SendWindow window = windows.computeIfAbsent(member, _ -> new SendWindow(LONGEST_MULTICAST));
        if (window.isFull(unacknowledged(member))) {
            notSent.increment();
        } else {
            window.add(frame.length);
            pass(new BytesMessage(member, frame).setFlag(Flag.NO_FC));
        }
    }

    private int unacknowledged(Address member) {
        UNICAST3 reliable = channel.getProtocolStack().findProtocol(UNICAST3.class);
        Table<Message> sent = reliable == null ? null : reliable.getSendWindow(member);
        return sent == null ? 0 : sent.size();
    }

    @Override
    public void send(ReplicaId to, byte[] frame) {
        Address one = new UUID(to.high(), to.low());
        if (members.contains(one)) {
            sendReliably(one, frame);
        } else {
            sendUnreliably(to, frame);
        }
    }

    @Override
    public void sendUnreliably(ReplicaId to, byte[] frame) {
        if (frame.length <= LONGEST_MULTICAST) {
            Address one = new UUID(to.high(), to.low());
            pass(new BytesMessage(one, frame).setFlag(Flag.NO_FC, Flag.NO_RELIABILITY));
        } else {
            notSent.increment();
        }
    }

    /// Nothing can be sent before there is a connection, nor after its end.
    private void pass(Message message) {
        try {
            channel.send(message);
        } catch (Exception notConnected) {
            notSent.increment();
        }
    }

    /// How many frames were dropped: no connection, no such member, too long, or too much unacknowledged.
    public long framesNotSent() {
        return notSent.sum();
    }

    /// How many packets and connections were refused because no key of this node opens them.
    public long packetsRefused() {
        return guard.packetsRefused();
    }

    /// The address at the other end of the last of them; empty if there is none.
    public String lastRefused() {
        return guard.lastRefused();
    }

    /// What was refused within the last minute, as a sentence without its subject; empty if nothing was.
    public String recentRefusal() {
        return guard.recentRefusal();
    }

    /// Whether the channel is connected, even if there is no other node.
    public boolean isConnected() {
        return !members.isEmpty();
    }

    /// Whether there is another node.
    public boolean hasOthers() {
        return members.size() > 1;
    }

    /// Leaves the group, so that the others need not detect it.
    @Override
    public void close() {
        closed.countDown();
        synchronized (this) {
            channel.close();
        }
    }

    /// What arrives on one channel, on whatever thread of JGroups.
    ///
    /// JGroups delivers views one at a time, under a lock that membership depends on, so nothing may be sent or waited
    /// for here.
    private final class Arrivals implements org.jgroups.Receiver {
        private final Receiver receiver;
        private volatile @Nullable ViewId newest;

        Arrivals(Receiver receiver) {
            this.receiver = receiver;
        }

        @Override
        public void viewAccepted(View view) {
            ViewId last = newest;
            if (last != null && view.getViewId().compareToIDs(last) <= 0) {
                return;
            }
            newest = view.getViewId();
            members = Set.copyOf(view.getMembers());
            windows.keySet().retainAll(members);
            receiver.onView(view.getMembers().stream()
                    .distinct()
                    .filter(UUID.class::isInstance)
                    .map(Arrivals::session)
                    .toList());
        }

        @Override
        public void receive(MessageBatch batch) {
            batch.forEach(this::receive);
        }

        @Override
        public void receive(Message message) {
            Address sender = message.getSrc();
            if (sender instanceof UUID && message.hasArray() && !sender.equals(address())) {
                receiver.onFrame(session(sender), frame(message));
            }
        }

        private static byte[] frame(Message message) {
            byte[] array = message.getArray();
            int from = message.getOffset();
            int length = message.getLength();
            return from == 0 && length == array.length ? array : Arrays.copyOfRange(array, from, from + length);
        }

        private static ReplicaId session(Address address) {
            UUID id = (UUID) address;
            return new ReplicaId(id.getMostSignificantBits(), id.getLeastSignificantBits());
        }
    }
}
