package io.tallis.resp;

import io.netty.channel.Channel;
import io.netty.channel.unix.UnixChannel;
import io.netty.util.NetUtil;
import io.tallis.command.Link;
import io.tallis.command.Reply;
import io.tallis.resp.socket.LoopTask;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/// The side of a connection that any thread may use: passes what commands and other threads want of it to its event
/// loop, and queues messages for the client.
final class ConnectionLink implements Link {
    private final Target connection;
    private final Channel channel;
    private final ClientMemory memory;
    private final boolean isTranslated;
    private final String remoteAddress;
    private final String localAddress;
    private final Queue<Message> messages = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong waitingBytes = new AtomicLong();
    private volatile boolean isCutOff;

    private record Message(int bytes, Consumer<Reply> body) {}

    /// The connection. Called on its event loop, except for the first two methods.
    interface Target {
        /// How many bytes of messages may wait. Any thread may call this.
        long mostBytes();

        /// The sizes of the buffers, with so many bytes of messages. Any thread may call this.
        Buffers buffers(long messageBytes);

        /// Encode the messages that wait, now or later.
        void messagesWait();

        /// Too many bytes of messages wait.
        void outputExceeded();

        void suspend();

        /// Answer the suspended request.
        void resume(Consumer<Reply> answer);

        /// Whether replies are being written to this connection.
        boolean isReplying();

        void closeAfterReplies();

        void kill();
    }

    ConnectionLink(Target connection, Channel channel, ClientMemory memory, boolean isTranslated) {
        this.isTranslated = isTranslated;
        this.connection = connection;
        this.channel = channel;
        this.memory = memory;
        remoteAddress = text(channel.remoteAddress());
        localAddress = text(channel.localAddress());
    }

    private static String text(SocketAddress address) {
        return address instanceof InetSocketAddress inet
                ? NetUtil.toSocketAddressString(inet)
                : String.valueOf(address);
    }

    @Override
    public String remoteAddress() {
        return remoteAddress;
    }

    @Override
    public String localAddress() {
        return localAddress;
    }

    @Override
    public boolean isTranslated() {
        return isTranslated;
    }

    @Override
    public boolean isOpen() {
        return channel.isActive();
    }

    @Override
    public int descriptor() {
        return channel instanceof UnixChannel unix ? unix.fd().intValue() : -1;
    }

    @Override
    public Buffers buffers() {
        return connection.buffers(waitingBytes.get());
    }

    /// Never blocks the publisher: closes the connection instead when its messages exceed the output limits, or the
    /// messages of all clients exceed theirs.
    @Override
    public void send(int bytes, Consumer<Reply> body) {
        Message message = new Message(bytes + ClientMemory.MESSAGE_OVERHEAD, body);
        if (isCutOff || waitingBytes.get() + message.bytes > connection.mostBytes() || memory.isFullOfMessages()) {
            cutOff();
            return;
        }
        messages.add(message);
        waitingBytes.addAndGet(message.bytes);
        memory.messageAdded(message.bytes);
        if (waiting.getAndIncrement() == 0) {
            sendLater();
        }
    }

    private void cutOff() {
        if (!isCutOff) {
            isCutOff = true;
            onLoop(connection::outputExceeded);
        }
    }

    /// Has the connection asked to encode the messages. As a task, since this or another connection of the event loop
    /// may be writing replies at present.
    void sendLater() {
        later(connection::messagesWait);
    }

    /// Whether messages wait to be encoded.
    boolean hasMessages() {
        return waiting.get() > 0;
    }

    /// Encodes the messages that wait now. Returns whether more have come meanwhile. On the event loop.
    boolean encodeMessages(Reply reply) {
        return drain(body -> body.accept(reply));
    }

    /// Drops all messages. On the event loop.
    void dropMessages() {
        while (drain(_ -> {})) {
            // Other threads are still adding messages.
        }
    }

    private boolean drain(Consumer<Consumer<Reply>> taker) {
        int count = waiting.get();
        int taken = 0;
        try {
            while (taken < count) {
                taken++;
                Message message = messages.poll();
                if (message != null) {
                    waitingBytes.addAndGet(-message.bytes);
                    memory.messageRemoved(message.bytes);
                    taker.accept(message.body);
                }
            }
        } finally {
            count = waiting.addAndGet(-taken);
        }
        return count > 0;
    }

    @Override
    public void kill() {
        onLoop(connection::kill);
    }

    @Override
    public void closeAfterReplies() {
        onLoop(connection::closeAfterReplies);
    }

    @Override
    public Suspension suspend() {
        connection.suspend();
        return new PendingAnswer();
    }

    /// The request for which the connection was suspended. Belongs to the event loop.
    private final class PendingAnswer implements Suspension {
        private boolean answered;

        /// As a task, unless the request is just being handled: another connection may be writing its replies.
        @Override
        public void resume(Consumer<Reply> answer) {
            if (channel.eventLoop().inEventLoop() && connection.isReplying()) {
                answer(answer);
            } else {
                later(() -> answer(answer));
            }
        }

        private void answer(Consumer<Reply> answer) {
            if (!answered) {
                answered = true;
                connection.resume(answer);
            }
        }
    }

    private void onLoop(Runnable task) {
        if (channel.eventLoop().inEventLoop()) {
            task.run();
        } else {
            later(task);
        }
    }

    private void later(Runnable task) {
        new LoopTask(task).on(channel.eventLoop());
    }
}
