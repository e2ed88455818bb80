package io.tallis.cluster.jgroups;

import io.tallis.cluster.jgroups.PacketCipher.Kind;
import java.io.DataInput;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jgroups.Address;
import org.jgroups.PhysicalAddress;
import org.jgroups.annotations.Property;
import org.jgroups.blocks.cs.Connection;
import org.jgroups.blocks.cs.NioConnection;
import org.jgroups.blocks.cs.NioServer;
import org.jgroups.conf.AttributeType;
import org.jgroups.protocols.BasicTCP;
import org.jgroups.stack.IpAddress;
import org.jgroups.util.ByteArrayDataInputStream;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.jgroups.util.Util;
import org.jspecify.annotations.Nullable;

/// JGroups' TCP_NIO2 with authenticated connections, a bounded number of them, each closed when it falls silent.
///
///     caller                                  acceptor
///       | -- hello, 64 bytes, sealed: its address --> |  within 2 s, or the connection is closed
///       | <-- length 4, sealed message -------------> |  both ways, at least one within `silence`
///
/// *Authenticated*: JGroups takes a caller's word for its address and lets a new connection replace that node's old
/// one; here the [PacketGuard] opens hello and messages, and a connection that brings anything else is closed.
///
/// *Bounded*: at most [#MOST_STRANGERS] connections have not said hello; of more, the oldest is closed, so strangers
/// cannot lock nodes out. At most [#MOST_CONNECTIONS] have; more are refused. A message has at most `max_length` bytes.
/// Where the process has no descriptor left, connections wait to be accepted; JGroups' acceptor would end.
///
/// *Silence*: what a cut network has lost the kernel sends again after pauses that double, so a connection that was cut
/// for ten seconds may take ten more to go on. Members send heartbeats several times within `silence`, so a silent one
/// is cut off, stopped or dead; nothing is lost with the connection that is not asked for again. Silence is counted in
/// looks of the timer, not in time, since a process that was paused has heard nothing from any node.
///
/// One thread of the server reads, accepts and connects; any thread writes; the timer looks for silence.
public final class BoundedTcp extends BasicTCP {
    /// A cluster has some hundred nodes at most.
    static final int MOST_CONNECTIONS = 1_000;

    static final int MOST_STRANGERS = 64;
    static final int HELLO_MILLIS = 2_000;

    private static final int LOOK_MILLIS = 250;

    /// An address of IPv6 with its scope, the longest that JGroups writes.
    private static final int LONGEST_ADDRESS = 23;

    static final int HELLO_BYTES = PacketCipher.OVERHEAD + LONGEST_ADDRESS;

    @Property(
            description = "How long no message may come over a connection before it is closed; 0 is for ever",
            type = AttributeType.TIME)
    private long silence;

    @Property(description = "How many messages may wait to be written to a connection; more are dropped")
    private int max_send_buffers = 128;

    private PacketGuard guard;
    private Server server;
    private @Nullable Future<?> looking;

    @SuppressWarnings("NullAway.Init") // JGroups makes protocols by reflection, and calls start before anything else.
    public BoundedTcp() {}

    void guard(PacketGuard by) {
        guard = by;
    }

    /// As TCP_NIO2 does it.
    @Override
    public void start() throws Exception {
        server = new Server();
        server.receiver(this)
                .timeService(time_service)
                .socketConnectionTimeout(sock_conn_timeout)
                .tcpNodelay(tcp_nodelay)
                .linger(linger)
                .clientBindAddress(client_bind_addr)
                .clientBindPort(client_bind_port)
                .deferClientBinding(defer_client_bind_addr)
                .usePeerConnections(true)
                .sendBufferSize(send_buf_size)
                .setMaxLength(max_length)
                .log(log)
                .addConnectionListener(this);
        server.maxSendBuffers(max_send_buffers);
        super.start();
        looking = getTimer().scheduleWithFixedDelay(server::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    protected void handleConnect() throws Exception {
        server.start();
        connected = true;
        super.handleConnect();
    }

    @Override
    protected void handleDisconnect() {
        super.handleDisconnect();
        connected = false;
        server.stop();
    }

    @Override
    public void stop() {
        if (looking != null) {
            looking.cancel(false);
        }
        if (server != null) {
            server.stop();
        }
        super.stop();
    }

    @Override
    public void doSend(byte[] message, int offset, int length, Address to) throws Exception {
        byte[] packet = guard.seal(Kind.MESSAGE, message, offset, length);
        super.doSend(packet, 0, packet.length, to);
    }

    @Override
    public void send(Address to, byte[] packet, int offset, int length) {
        try {
            server.send(to, packet, offset, length);
        } catch (Exception failed) {
            log.trace("%s: failed sending message to %s: %s", local_addr, to, failed);
        }
    }

    /// What this node sends to itself; it has had it already.
    @Override
    public void receive(Address sender, byte[] packet, int offset, int length) {}

    /// Only transports over blocking streams use this way in.
    @Override
    public void receive(Address sender, DataInput in, int length) {
        throw new UnsupportedOperationException("connections are read by messages");
    }

    private void pass(Address sender, byte[] message) {
        super.receive(sender, message, 0, message.length);
    }

    @Override
    public void retainAll(Collection<Address> addresses) {
        server.retainAll(addresses, is_member);
    }

    @Override
    protected @Nullable PhysicalAddress getPhysicalAddress() {
        return server == null ? null : (PhysicalAddress) server.localAddress();
    }

    @Override
    public String printConnections() {
        return server.printConnections();
    }

    @Override
    public BasicTCP clearConnections(boolean graceful) {
        server.clearConnections(graceful);
        return this;
    }

    int strangers() {
        return server.strangers.size();
    }

    private final class Server extends NioServer {
        /// Accepted, and without a hello so far.
        private final Queue<Link> strangers = new ConcurrentLinkedQueue<>();

        private boolean ran;

        Server() throws Exception {
            super(
                    getThreadFactory(),
                    getSocketFactory(),
                    bind_addr,
                    bind_port,
                    bind_port + port_range,
                    external_addr,
                    external_port,
                    BoundedTcp.this.recv_buf_size);
        }

        @Override
        public synchronized void start() throws Exception {
            ran = true;
            super.start();
        }

        /// JGroups closes the port at the end of the server's thread: a thread that never ran would leave it open.
        @Override
        public synchronized void stop() {
            super.stop();
            if (!ran) {
                ran = true;
                acceptorDone();
            }
            strangers.forEach(this::dismiss);
        }

        @Override
        protected NioConnection createConnection(Address to) throws Exception {
            return new Link(to, this);
        }

        @Override
        protected void handleAccept(SelectionKey key) throws IOException {
            SocketChannel accepted = accept();
            if (accepted == null) {
                return;
            }
            if (getNumConnections() >= MOST_CONNECTIONS) {
                log.warn("refused a connection beyond %d", MOST_CONNECTIONS);
                Util.close(accepted);
                return;
            }
            try {
                Link link = new Link(accepted, this);
                link.key(accepted.register(selector, SelectionKey.OP_READ, link));
                strangers.add(link);
            } catch (Exception failed) {
                Util.close(accepted);
                log.warn("cannot take a connection: %s", failed);
            }
            Link oldest = strangers.size() > MOST_STRANGERS ? strangers.poll() : null;
            if (oldest != null) {
                oldest.drop();
            }
        }

        /// Without a free descriptor the system refuses to accept, and calls again at once.
        private @Nullable SocketChannel accept() {
            try {
                return channel.accept();
            } catch (IOException refused) {
                log.warn("cannot accept connections: %s", refused.getMessage());
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS / 10));
                return null;
            }
        }

        private void dismiss(Link stranger) {
            strangers.remove(stranger);
            stranger.drop();
        }

        /// JGroups calls this without a connection where accepting fails, and its thread ends.
        @Override
        public void closeConnection(@Nullable Connection connection, boolean notify) {
            if (connection instanceof Link link) {
                strangers.remove(link);
                super.closeConnection(link, notify);
            }
        }

        private void look() {
            strangers.stream()
                    .filter(stranger -> stranger.isSilent(HELLO_MILLIS))
                    .forEach(this::dismiss);
            if (silence > 0) {
                forAllConnections((_, connection) -> {
                    if (((Link) connection).isSilent(silence)) {
                        closeConnection(connection, false);
                    }
                });
            }
        }
    }

    /// A connection, read by the server's thread. Its `peer_addr` is known from the start where this node has called,
    /// and by the hello where it was called.
    private final class Link extends NioConnection {
        private final ByteBuffer hello = ByteBuffer.allocate(HELLO_BYTES);
        private final AtomicInteger silentLooks = new AtomicInteger();

        /// Whether the other end has sent anything that counts.
        private boolean answered;

        Link(Address to, Server server) throws Exception {
            super(to, server);
        }

        Link(SocketChannel accepted, Server server) throws Exception {
            super(accepted, server);
        }

        @Override
        protected void sendLocalAddress(Address own) throws Exception {
            var address = new ByteArrayDataOutputStream(LONGEST_ADDRESS);
            own.writeTo(address);
            byte[] padded = Arrays.copyOf(address.buffer(), LONGEST_ADDRESS);
            send(ByteBuffer.wrap(guard.seal(Kind.HELLO, padded, 0, padded.length)), false);
        }

        /// Returns whether there may be more to read. The server closes the connection when this throws; of this
        /// exception it says nothing, as the guard has said it.
        @Override
        protected boolean _read() throws Exception {
            if (peer_addr == null) {
                return readHello();
            }
            ByteBuffer packet = readPacket();
            if (packet == null) {
                return false;
            }
            answered = true;
            byte[] sealed = new byte[packet.remaining()];
            packet.get(sealed);
            byte[] message = open(Kind.MESSAGE, sealed);
            silentLooks.set(0);
            pass(peer_addr, message);
            return true;
        }

        private @Nullable ByteBuffer readPacket() throws IOException {
            try {
                return message_reader.readMessage();
            } catch (IOException end) {
                if (!answered && !isClosedGracefully()) {
                    guard.onHangUp(host());
                }
                throw end;
            }
        }

        private boolean readHello() throws Exception {
            if (channel.read(hello) < 0) {
                throw new EOFException();
            }
            if (hello.hasRemaining()) {
                return false;
            }
            var address = new IpAddress();
            address.readFrom(new ByteArrayDataInputStream(open(Kind.HELLO, hello.array())));
            peer_addr = address;
            answered = true;
            silentLooks.set(0);
            ((Server) server).strangers.remove(this);
            server.handleIncomingConnection(address, this);
            return true;
        }

        /// A refusal ends the connection without a goodbye, by which the caller knows it from other ends.
        private byte[] open(Kind kind, byte[] packet) throws IOException {
            byte[] plain = guard.open(kind, host(), packet, 0, packet.length);
            if (plain == null) {
                drop();
                throw new EOFException("refused");
            }
            return plain;
        }

        private InetAddress host() throws IOException {
            return ((InetSocketAddress) channel.getRemoteAddress()).getAddress();
        }

        private boolean isSilent(long millis) {
            return (long) silentLooks.incrementAndGet() * LOOK_MILLIS > millis;
        }

        /// Without the goodbye that JGroups' own close sends.
        private void drop() {
            Util.close(channel);
        }
    }
}
