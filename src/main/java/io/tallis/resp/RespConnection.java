package io.tallis.resp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Reply;
import io.tallis.command.ReplyMode;
import io.tallis.command.RequestHandler;
import io.tallis.metrics.NetworkEvent;
import io.tallis.runtime.Invariant;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.function.Consumer;

/// One connection: reads requests, has them handled, sends the replies. Belongs to its event loop.
///
///     network -> Input, RequestDecoder -> RequestHandler -> Delivery -> network
///
/// What a client may cost is bounded by standing still, for the reasons that [Flow] names, and by [Patience].
final class RespConnection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = System.getLogger(RespConnection.class.getName());

    /// How long a client that has ended its side is kept for the answer to a request that takes long. It may be gone,
    /// and there is no other sign of that as long as nothing is sent to it.
    private static final int SECONDS_TO_ANSWER = 5;

    private final Channel channel;
    private final Worker worker;
    private final RequestHandler handler;
    private final Connections connections;
    private final RequestDecoder decoder = new RequestDecoder();
    private final Input input;
    private final ConnectionLink link;
    private final Client client;
    private final Delivery delivery;
    private final Patience patience;
    private final Flow flow;
    private final Consumer<Reply> requests = this::handleRequests;
    private final LoopTask goOnLater = new LoopTask(this::goOnIfPossible);

    private int served;
    private boolean inputEnded;
    private boolean known;
    private boolean leaving;
    private long endsBy;
    private long answersBy;

    RespConnection(Channel channel, Worker worker, RespServer.Ports ports, long id) {
        this.channel = channel;
        this.worker = worker;
        handler = ports.handler();
        connections = ports.connections();
        input = new Input(worker.input(), decoder);
        link = new ConnectionLink(this, channel);
        client = new Client(id, link, worker.counters(), !worker.limits().passwordSet());
        delivery = new Delivery(this, channel, worker, client);
        patience = new Patience(worker::limits, worker::seconds, client::isListening);
        flow = new Flow(channel);
    }

    Delivery delivery() {
        return delivery;
    }

    Input input() {
        return input;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        known = true;
        connections.opened(client);
        worker.add(this);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf received = (ByteBuf) message;
        worker.received(received.readableBytes());
        patience.heard();
        try {
            while (received.isReadable() && !isEnding()) {
                input.take(received);
                serve();
                settle();
            }
        } finally {
            received.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        finish();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (channel.isWritable()) {
            // Not at once: this may be called from within a flush of ours.
            goOnLater.on(channel.eventLoop());
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            inputEnded = true;
            answersBy = worker.seconds() + SECONDS_TO_ANSWER;
            endIfDone();
            Farewell.isAnswered(channel);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        kill();
        worker.stats().add(NetworkEvent.CLOSED, 1);
        worker.remove(this);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof IOException || cause instanceof DecoderException) {
            kill(Level.DEBUG, CloseReason.of(cause));
        } else {
            LOG.log(Level.ERROR, () -> "Closing " + link.remoteAddress(), cause);
            kill();
        }
    }

    /// Handles requests as long as there are any and nothing is in the way.
    private void serve() {
        if (delivery.isUnconfirmed() && worker.turns().congested()) {
            flow.stop(Flow.CONGESTED);
        }
        if (flow.isFree()) {
            answer(requests);
        }
    }

    private void handleRequests(Reply reply) {
        int maxBulkLength = worker.limits().protoMaxBulkLen();
        int lookedAt = 0;
        while (flow.isFree()) {
            if (served++ >= Turns.MAX_REQUESTS || delivery.isLong() || worker.lookIsDue()) {
                flow.stop(Flow.YIELDED);
                worker.turns().goOnInNextTurn(this);
                return;
            }
            if (lookedAt-- == 0) {
                lookedAt = worker.lookahead().look(decoder, mayAct(), maxBulkLength) - 1;
            }
            switch (decoder.next(mayAct(), maxBulkLength)) {
                case REQUEST -> handle(decoder.arguments(), reply);
                case REFUSED -> refuse(reply);
                case INCOMPLETE, NOTHING -> {
                    return;
                }
            }
        }
    }

    private boolean mayAct() {
        return client.mayAct(worker.limits().passwordSet());
    }

    private void handle(Arguments arguments, Reply reply) {
        if (arguments.is(0, "POST") || arguments.is(0, "HOST:")) {
            kill(Level.WARNING, "it speaks HTTP, as when a browser is tricked into reaching this server");
            return;
        }
        handler.handle(arguments, client, reply);
        if (link.waiting() > 0) {
            link.drainTo(reply);
        }
    }

    private void refuse(Reply reply) {
        log(Level.DEBUG, decoder.refusal());
        worker.stats().add(NetworkEvent.PROTOCOL_ERROR, 1);
        if (client.replyMode() == ReplyMode.ON) {
            reply.error(decoder.refusal());
        }
        closeAfterReplies();
    }

    /// A mistake of ours closes the connection: what the client was told so far may be half a reply.
    private void answer(Consumer<Reply> body) {
        try {
            delivery.answer(patience.mostWaitingBytes(), body);
        } catch (RuntimeException | Error mistake) {
            LOG.log(Level.ERROR, () -> "Closing " + link.remoteAddress(), mistake);
            kill();
        }
        if (delivery.isOverfull()) {
            outputExceeded();
        }
    }

    private void settle() {
        if (isEnding()) {
            input.clear();
            return;
        }
        input.settle();
        if (input.exceeds(worker.limits().clientQueryBufferLimit())) {
            worker.stats().add(NetworkEvent.QUERY_LIMIT, 1);
            kill(Level.WARNING, "its requests exceed client-query-buffer-limit");
        } else if (!flow.isFree()) {
            // Netty may have more to give before it says that it has read all.
            flow.regulate(input.held());
        }
    }

    /// Ends a piece of work.
    private void finish() {
        served = 0;
        delivery.deliver();
        if (delivery.isFull()) {
            flow.stop(Flow.FULL);
        }
        flow.regulate(input.held());
        endIfDone();
        worker.turns().pieceDone();
    }

    void suspend() {
        Invariant.check(!flow.isStoppedFor(Flow.SUSPENDED), "a client waits for one answer at a time");
        flow.stop(Flow.SUSPENDED);
        answersBy = worker.seconds() + SECONDS_TO_ANSWER;
    }

    void resume(Consumer<Reply> answer) {
        flow.release(Flow.SUSPENDED);
        if (delivery.isOpen()) {
            answer.accept(delivery.encoder());
        } else {
            say(answer);
            goOnIfPossible();
        }
    }

    /// Says something outside of handling requests.
    void say(Consumer<Reply> body) {
        if (!isEnding()) {
            answer(body);
            finish();
        }
    }

    /// The journal has that turn, in which the client changed something.
    void turnWritten(long turn) {
        delivery.turnWritten(turn);
        if (input.held() > 0) {
            // Not at once: this may be the end of a turn, which must not grow into the next.
            goOnLater.on(channel.eventLoop());
        } else {
            goOnIfPossible();
        }
    }

    /// A new turn has begun.
    void goOn() {
        flow.release(Flow.YIELDED);
        goOnIfPossible();
    }

    private void goOnIfPossible() {
        if (!delivery.isFull()) {
            flow.release(Flow.FULL);
        }
        if (!delivery.isUnconfirmed()) {
            flow.release(Flow.CONGESTED);
        }
        if (flow.isFree() && input.held() > 0) {
            serve();
            settle();
        }
        finish();
    }

    private boolean isEnding() {
        return flow.isStoppedFor(Flow.ENDING);
    }

    /// Handles no more requests, and closes the connection when all replies have left.
    void closeAfterReplies() {
        if (isEnding()) {
            return;
        }
        beginToEnd();
        if (!delivery.isOpen()) {
            settle();
            finish();
        }
    }

    private void beginToEnd() {
        if (!isEnding()) {
            flow.stop(Flow.ENDING);
            endsBy = worker.seconds() + Farewell.SECONDS_TO_READ;
        }
    }

    private void endIfDone() {
        boolean isLast = isEnding() || (inputEnded && flow.isFree());
        if (isLast && !leaving && delivery.isDone()) {
            beginToEnd();
            leave();
            Farewell.say(channel, worker.isEnding());
        }
    }

    /// Closes the connection at once.
    void kill() {
        flow.stop(Flow.ENDING);
        leave();
        delivery.close();
        var _ = channel.close();
    }

    private void leave() {
        leaving = true;
        if (known) {
            known = false;
            connections.closed(client);
        }
    }

    /// What its requests, replies and subscriptions take.
    long bytes() {
        return client.bufferBytes();
    }

    /// Whether it may be closed for what it takes.
    boolean isEvictable() {
        return !client.noEvict();
    }

    /// How many bytes of messages may wait for the event loop. Any thread may ask.
    long mostMessageBytes() {
        long most = patience.mostWaitingBytes();
        return most == 0 ? Outbox.MOST : Math.min(most, Outbox.MOST);
    }

    /// All connections take too much memory, and this one most.
    void evict() {
        if (!leaving) {
            worker.stats().add(NetworkEvent.EVICTED, 1);
            kill(Level.WARNING, "all clients together take too much memory, and it most");
        }
    }

    void outputExceeded() {
        if (!leaving) {
            worker.stats().add(NetworkEvent.OUTPUT_LIMIT, 1);
            kill(Level.WARNING, "more replies are waiting for it than client-output-buffer-limit allows");
        }
    }

    /// A second has passed.
    void tick() {
        if (isEnding() && worker.seconds() >= endsBy) {
            kill();
        } else if (patience.isExceededBy(delivery.waitingBytes())) {
            outputExceeded();
        } else if (!flow.isStoppedFor(Flow.SUSPENDED) && patience.isSilentTooLong()) {
            kill(Level.DEBUG, "it is idle");
        } else if (inputEnded && flow.isStoppedFor(Flow.SUSPENDED) && worker.seconds() >= answersBy) {
            log(Level.DEBUG, "it has ended its side, and what it waits for takes long");
            closeAfterReplies();
        }
    }

    private void kill(Level level, String reason) {
        log(level, reason);
        kill();
    }

    private void log(Level level, String reason) {
        LOG.log(level, "Closing the connection from {0}: {1}", link.remoteAddress(), reason);
    }
}
