package io.tallis.cluster.jgroups;

import io.tallis.cluster.frame.Transport;
import io.tallis.crdt.ReplicaId;
import io.tallis.runtime.Threads;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.Event;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Message.Flag;
import org.jgroups.Message.TransientFlag;
import org.jgroups.protocols.FD_SOCK2;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.util.Table;
import org.jgroups.util.UUID;

/// A session's place among the others by JGroups, where its address is its replica id.
///
/// What goes to all goes without acknowledgements and without flow control, so no peer that is slow, frozen or gone
/// keeps anybody waiting. What goes to one, and is not tossed, is sent until it has arrived, and waits in the memory of
/// this process meanwhile; whoever sends much that way waits for answers.
public final class JGroupsTransport implements Transport, AutoCloseable {
    /// A frame longer than this fits no datagram. It goes to each member by itself, in reliable pieces: an
    /// unreliable one that lost a piece would keep the others in memory until its sender leaves.
    static final int LONGEST_MULTICAST = 60_000;

    private static final Logger LOG = System.getLogger(JGroupsTransport.class.getName());
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
    private static final int MOST_DOUBLINGS = 10;
    /// JGroups' name for whoever says something.
    private static final Pattern SPEAKER = Pattern.compile("^\\[\\w+] /?");

    private static final Pattern FIRST_OF_PORTS = Pattern.compile("available port in ports \\[(\\d+)");

    static {
        Precautions.take();
    }

    private final ReplicaId self;
    private final JGroupsSettings settings;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final LongAdder notSent = new LongAdder();
    private volatile JChannel channel;
    private volatile Set<Address> members = Set.of();

    /// What those were sent that are there.
    private final Map<Address, Unconfirmed> promised = new ConcurrentHashMap<>();

    /// Throws [TransportException] when the settings cannot be as they are.
    public JGroupsTransport(ReplicaId self, JGroupsSettings settings) {
        this.self = self;
        this.settings = settings;
        channel = newChannel();
        if (settings.keyFile() != null && ClusterKey.isOpenToAll(settings.keyFile())) {
            LOG.log(Level.WARNING, "Everybody on this machine may read the cluster's key in " + settings.keyFile());
        }
    }

    private JChannel newChannel() {
        Stack stack = Stack.of(settings);
        try {
            JChannel made = new JChannel(stack);
            made.addAddressGenerator(() -> new UUID(self.high(), self.low()));
            return made.name(settings.node());
        } catch (Exception refused) {
            throw new TransportException("cluster-stack " + settings.stack() + " cannot be set up on " + settings.bind()
                    + ": "
                    + SPEAKER.matcher(String.valueOf(refused.getMessage())).replaceFirst(""));
        }
    }

    /// Begins to look for the others, and returns at once. Goes on until there is a connection, or this is closed.
    public void connect(Receiver receiver) {
        Threads.start("cluster-connect", () -> connectAtLast(receiver));
        if (!settings.seeds().isEmpty() || !settings.dns().isEmpty()) {
            Threads.start("cluster-names", this::lookUpNames);
        }
    }

    /// Of a name that leads nowhere JGroups says nothing, or nothing that an operator understands. Takes as long as DNS
    /// does.
    private void lookUpNames() {
        settings.seeds().forEach(seed -> lookUp("cluster-seeds", seed.getHostString()));
        if (!settings.dns().isEmpty()) {
            List.of(settings.dns().split(",", 0)).forEach(name -> lookUp("cluster-dns", name));
        }
    }

    private static void lookUp(String setting, String name) {
        try {
            InetAddress _ = InetAddress.getByName(name);
        } catch (UnknownHostException _) {
            LOG.log(
                    Level.WARNING,
                    setting + ": " + name + " leads to no address yet, so no other node is found by it; it is looked"
                            + " up again and again");
        }
    }

    private void connectAtLast(Receiver receiver) {
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
            channel.setReceiver(new Inbox(this, receiver));
            channel.connect(settings.cluster());
            LOG.log(Level.INFO, "Cluster port " + channel.down(new Event(Event.GET_PHYSICAL_ADDRESS, address())));
            return true;
        } catch (Exception failed) {
            if (!isClosedWithin(Duration.ZERO)) {
                LOG.log(
                        Level.WARNING,
                        "Cannot reach the cluster yet from cluster-bind " + settings.bind() + ", cluster-port "
                                + settings.port() + ", trying again: " + reason(failed));
            }
            return false;
        }
    }

    /// The innermost cause says what the system refused.
    private String reason(Throwable failed) {
        Throwable cause = failed;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String text = String.valueOf(cause.getMessage());
        return text + settingOf(text);
    }

    /// No setting names the ports that sockets to look for failures take, so that JGroups' list of them says nothing
    /// to an operator.
    private String settingOf(String reason) {
        Matcher first = FIRST_OF_PORTS.matcher(reason);
        FD_SOCK2 sockets = channel.getProtocolStack().findProtocol(FD_SOCK2.class);
        if (sockets == null || !first.find()) {
            return "";
        }
        int offset = sockets.getOffset();
        int port = Integer.parseInt(first.group(1)) - offset;
        return ", which begin " + offset + " above cluster-port, here " + port;
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

    /// A channel that failed to connect may hold on to half of what it opened.
    private synchronized void renewChannel() {
        if (closed.getCount() > 0) {
            channel.close();
            channel = newChannel();
        }
    }

    void membersAre(Set<Address> now) {
        members = now;
        promised.keySet().retainAll(now);
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
            hand(message.setFlag(TransientFlag.DONT_LOOPBACK));
            return;
        }
        Address own = address();
        for (Address member : members) {
            if (!member.equals(own)) {
                promise(member, frame);
            }
        }
    }

    /// Who does not confirm what it was sent, though it is in reach, is promised no more: all that is kept for it.
    private void promise(Address member, byte[] frame) {
        if (!members.contains(member)) {
            notSent.increment();
            return;
        }
        Unconfirmed unconfirmed = promised.computeIfAbsent(member, _ -> new Unconfirmed(LONGEST_MULTICAST));
        if (unconfirmed.isMuch(countOfUnconfirmed(member))) {
            notSent.increment();
        } else {
            unconfirmed.sent(frame.length);
            hand(new BytesMessage(member, frame).setFlag(Flag.NO_FC));
        }
    }

    private int countOfUnconfirmed(Address member) {
        UNICAST3 promises = channel.getProtocolStack().findProtocol(UNICAST3.class);
        Table<Message> sent = promises == null ? null : promises.getSendWindow(member);
        return sent == null ? 0 : sent.size();
    }

    /// Not out of band: what is sent to one arrives in order.
    @Override
    public void send(ReplicaId to, byte[] frame) {
        Address one = new UUID(to.high(), to.low());
        if (members.contains(one)) {
            promise(one, frame);
        } else {
            toss(to, frame);
        }
    }

    @Override
    public void toss(ReplicaId to, byte[] frame) {
        if (frame.length <= LONGEST_MULTICAST) {
            Address one = new UUID(to.high(), to.low());
            hand(new BytesMessage(one, frame).setFlag(Flag.NO_FC, Flag.NO_RELIABILITY));
        } else {
            notSent.increment();
        }
    }

    /// Before there is a connection, and after its end, nothing can be sent, and need not be.
    private void hand(Message message) {
        try {
            channel.send(message);
        } catch (Exception notConnected) {
            notSent.increment();
        }
    }

    /// How many frames were let go because nobody was there to take them, or because who was there did not confirm
    /// those before.
    public long framesNotSent() {
        return notSent.sum();
    }

    /// Whether it takes part in the network, be it alone.
    public boolean isConnected() {
        return !members.isEmpty();
    }

    /// Whether anybody else is in reach.
    public boolean hasOthers() {
        return members.size() > 1;
    }

    /// Leaves, so that the others need not find out by themselves.
    @Override
    public void close() {
        closed.countDown();
        synchronized (this) {
            channel.close();
        }
    }
}
