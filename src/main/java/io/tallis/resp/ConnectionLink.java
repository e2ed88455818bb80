package io.tallis.resp;

import io.netty.channel.Channel;
import io.netty.channel.unix.UnixChannel;
import io.netty.util.NetUtil;
import io.tallis.command.Link;
import io.tallis.command.Reply;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/// A connection as commands and other threads see it: takes what they want to the connection's event loop.
final class ConnectionLink implements Link {
    /// About what a message takes besides its bytes until it is written.
    static final int BYTES_OF_ONE = 128;

    private final RespConnection connection;
    private final Channel channel;
    private final Crowd crowd;
    private final String remoteAddress;
    private final String localAddress;
    private final Queue<Message> messages = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong waitingBytes = new AtomicLong();
    private volatile boolean isCutOff;

    private record Message(int bytes, Consumer<Reply> body) {}

    ConnectionLink(RespConnection connection, Channel channel, Crowd crowd) {
        this.connection = connection;
        this.channel = channel;
        this.crowd = crowd;
        remoteAddress = text(channel.remoteAddress());
        localAddress = text(channel.localAddress());
    }

    @Override
    public String remoteAddress() {
        return remoteAddress;
    }

    @Override
    public String localAddress() {
        return localAddress;
    }

    /// Cuts the client off when the messages that wait take more than its replies may, or all of them more than there
    /// is room for: who publishes is not kept waiting.
    @Override
    public void send(int bytes, Consumer<Reply> body) {
        Message message = new Message(bytes + BYTES_OF_ONE, body);
        if (isCutOff || waitingBytes.get() + message.bytes > connection.mostBytes() || crowd.isFullOfMessages()) {
            cutOff();
            return;
        }
        messages.add(message);
        waitingBytes.addAndGet(message.bytes);
        crowd.messageWaits(message.bytes);
        if (waiting.getAndIncrement() == 0) {
            // Not at once: this or another connection may be writing its replies.
            later(this::sendMessages);
        }
    }

    private void cutOff() {
        if (!isCutOff) {
            isCutOff = true;
            onLoop(connection::outputExceeded);
        }
    }

    private void sendMessages() {
        if (connection.hasEnded()) {
            dropMessages();
            return;
        }
        if (connection.lookIsDue()) {
            // What others were told just now may be too much for all.
            later(this::sendMessages);
            return;
        }
        connection.say(reply -> {
            if (drainTo(reply)) {
                later(this::sendMessages);
            }
        });
    }

    /// Nobody is going to be sent those that wait. On the event loop.
    void dropMessages() {
        while (drain(_ -> {})) {
            // Others are still being sent.
        }
    }

    /// How many messages wait to be sent.
    int waiting() {
        return waiting.get();
    }

    /// Writes the messages that were waiting; those that come meanwhile are for the next call. Returns whether
    /// there are any. On the event loop.
    boolean drainTo(Reply reply) {
        return drain(body -> body.accept(reply));
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
                    crowd.messageTaken(message.bytes);
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
    public boolean isOpen() {
        return channel.isActive();
    }

    @Override
    public Suspension suspend() {
        connection.suspend();
        return new Unanswered();
    }

    @Override
    public int descriptor() {
        return channel instanceof UnixChannel unix ? unix.fd().intValue() : -1;
    }

    @Override
    public Buffers buffers() {
        Input input = connection.input();
        Delivery delivery = connection.delivery();
        return new Buffers(
                input.held(),
                input.room(),
                connection.wordBytes(),
                delivery.piecesWaiting(),
                delivery.waitingBytes(),
                waitingBytes.get(),
                channel.config().isAutoRead(),
                delivery.isWriting());
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

    private static String text(SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet)) {
            return String.valueOf(address);
        }
        return NetUtil.toSocketAddressString(inet);
    }

    /// The request that the connection was suspended for. Belongs to the event loop, but for the way there.
    private final class Unanswered implements Suspension {
        private boolean answered;

        /// Not at once, unless the request is just being handled: another connection may be writing its replies.
        @Override
        public void resume(Consumer<Reply> answer) {
            if (channel.eventLoop().inEventLoop() && connection.delivery().isOpen()) {
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
}
