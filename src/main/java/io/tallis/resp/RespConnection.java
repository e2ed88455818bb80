package io.tallis.resp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Client.ReplyMode;
import io.tallis.command.Reply;
import io.tallis.command.dispatch.RequestHandler;
import io.tallis.metrics.NetworkEvent;
import io.tallis.runtime.Invariant;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.function.Consumer;

/// One connection: reads requests, has them handled, sends the replies. Belongs to its event loop.
///
///     network -> Input, RequestDecoder -> RequestHandler -> Delivery -> network
///
/// What a client may cost is bounded by standing still, for the reasons that [Flow] names, and by [Patience].
final class RespConnection extends ChannelInboundHandlerAdapter {
    private final Channel channel;
    private final Worker worker;
    private final RequestHandler handler;
    private final RequestDecoder decoder = new RequestDecoder();
    private final Input input;
    private final ConnectionLink link;
    private final Client client;
    private final Delivery delivery;
    private final Patience patience;
    private final Flow flow;
    private final Ending ending;
    private final Consumer<Reply> requests = this::handleRequests;
    private final LoopTask goOnLater = new LoopTask(this::goOnIfPossible);

    private int served;

    RespConnection(Channel channel, Worker worker, RequestHandler handler, long id) {
        this.channel = channel;
        this.worker = worker;
        this.handler = handler;
        input = new Input(worker.input(), decoder);
        link = new ConnectionLink(this, channel, worker.crowd());
        client = new Client(id, link, worker.counters(), !worker.limits().passwordSet());
        delivery = new Delivery(this, channel, worker, client);
        patience = new Patience(worker::limits, worker::seconds, client::isListening);
        flow = new Flow(channel);
        ending = new Ending(channel, worker, client, delivery, flow);
    }

    Delivery delivery() {
        return delivery;
    }

    Input input() {
        return input;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        ending.opened();
        worker.add(this);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf received = (ByteBuf) message;
        worker.received(received.readableBytes());
        patience.heard();
        handler.begins(client);
        try {
            while (received.isReadable() && !ending.hasBegun()) {
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
            ending.inputEnded();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        kill();
        link.dropMessages();
        worker.stats().add(NetworkEvent.CLOSED, 1);
        worker.remove(this);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof IOException || cause instanceof DecoderException) {
            ending.atOnce(Level.DEBUG, CloseReason.of(cause));
        } else {
            ending.atOnce(cause);
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
        // Who published them has heard so, and the client may be about to unsubscribe.
        sendMessages(reply);
        int maxBulkLength = worker.limits().protoMaxBulkLen();
        int lookedAt = 0;
        while (flow.isFree()) {
            if (isLongEnough() || worker.isInterrupted()) {
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

    private boolean isLongEnough() {
        return served++ >= Turns.MAX_REQUESTS
                || delivery.isLong()
                || worker.turns().isLong();
    }

    private boolean mayAct() {
        return client.mayAct(worker.limits().passwordSet());
    }

    private void handle(Arguments arguments, Reply reply) {
        if (arguments.is(0, "POST") || arguments.is(0, "HOST:")) {
            ending.atOnce(Level.WARNING, "it speaks HTTP, as when a browser is tricked into reaching this server");
            return;
        }
        handler.handle(arguments, client, reply);
        sendMessages(reply);
    }

    private void sendMessages(Reply reply) {
        if (link.waiting() > 0) {
            link.drainTo(reply);
        }
    }

    private void refuse(Reply reply) {
        ending.log(Level.DEBUG, decoder.refusal());
        worker.stats().add(NetworkEvent.PROTOCOL_ERROR, 1);
        if (client.replyMode() == ReplyMode.ON) {
            reply.error(decoder.refusal());
        }
        closeAfterReplies();
    }

    private void answer(Consumer<Reply> body) {
        try {
            delivery.answer(mostBytes(), body);
        } catch (RuntimeException | Error mistake) {
            ending.atOnce(mistake);
        }
        if (delivery.isOverfull()) {
            outputExceeded();
        }
    }

    private void settle() {
        if (ending.hasBegun()) {
            input.clear();
            return;
        }
        input.settle();
        if (input.exceeds(worker.limits().clientQueryBufferLimit())) {
            ending.atOnce(NetworkEvent.QUERY_LIMIT, "its requests exceed client-query-buffer-limit");
        } else if (!flow.isFree()) {
            // Netty may have more to give before it says that it has read all.
            flow.regulate(input.held());
        }
    }

    /// Ends a piece of work.
    private void finish() {
        served = 0;
        delivery.deliver();
        if (isFull()) {
            flow.stop(Flow.FULL);
        }
        flow.regulate(input.held());
        ending.leaveIfDone();
        worker.turns().pieceDone();
    }

    void suspend() {
        Invariant.check(!flow.isStoppedFor(Flow.SUSPENDED), "a client waits for one answer at a time");
        flow.stop(Flow.SUSPENDED);
        ending.answerIsDue();
    }

    void resume(Consumer<Reply> answer) {
        flow.release(Flow.SUSPENDED);
        patience.heard();
        if (delivery.isOpen()) {
            answer.accept(delivery.encoder());
        } else {
            say(answer);
            goOnIfPossible();
        }
    }

    /// Whether its event loop is about to look at what all clients take.
    boolean lookIsDue() {
        return worker.lookIsDue();
    }

    /// Whether nobody is told anything more.
    boolean hasEnded() {
        return ending.hasBegun();
    }

    /// Says something outside of handling requests.
    void say(Consumer<Reply> body) {
        if (!ending.hasBegun()) {
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
        if (!isFull()) {
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

    /// Whether so much waits that the client should ask for no more. For the network less may wait where all clients
    /// together take much; for the journal nobody waits in vain.
    private boolean isFull() {
        return delivery.heldBytes() > Delivery.MAX_BYTES
                || (!channel.isWritable()
                        && (worker.isCrowded() || delivery.waitingBytes() > patience.enoughWaitingBytes()));
    }

    /// Handles no more requests, and closes the connection when all replies have left.
    void closeAfterReplies() {
        if (ending.hasBegun()) {
            return;
        }
        ending.begin();
        if (!delivery.isOpen()) {
            settle();
            finish();
        }
    }

    /// Closes the connection at once.
    void kill() {
        ending.atOnce();
    }

    /// What its requests, replies and subscriptions take.
    long bytes() {
        return client.bufferBytes();
    }

    /// What it takes to know where the words of its request stand. Any thread may ask.
    long wordBytes() {
        return decoder.arguments().tableBytes();
    }

    /// Whether it may be closed for what it takes.
    boolean isEvictable() {
        return !client.noEvict();
    }

    /// How many bytes of replies may wait for the client, and of messages for the event loop. Any thread may ask.
    long mostBytes() {
        long most = patience.mostWaitingBytes();
        long mostOfAll = worker.limits().clientsBytes();
        return most == 0 ? mostOfAll : Math.min(most, mostOfAll);
    }

    /// All connections take too much memory, and this one most.
    void evict() {
        ending.atOnce(NetworkEvent.EVICTED, "all clients together take too much memory, and it most");
    }

    void outputExceeded() {
        ending.atOnce(
                NetworkEvent.OUTPUT_LIMIT,
                "more replies are waiting for it than client-output-buffer-limit allows, or all clients may have");
    }

    private boolean isOwedAnAnswer() {
        return flow.isStoppedFor(Flow.SUSPENDED) || delivery.isUnconfirmed();
    }

    /// A second has passed.
    void tick() {
        if (ending.isOverdue()) {
            ending.atOnce();
        } else if (patience.isExceededBy(delivery.waitingBytes())) {
            outputExceeded();
        } else if (!isOwedAnAnswer() && patience.isSilentTooLong()) {
            ending.atOnce(Level.DEBUG, "it is idle");
        } else if (ending.isAnswerOverdue()) {
            ending.log(Level.DEBUG, "it has ended its side, and what it waits for takes long");
            closeAfterReplies();
        } else if (flow.isStoppedFor(Flow.FULL) && !isFull()) {
            // Others may have gone, or the limits been raised.
            goOnIfPossible();
        }
    }
}
