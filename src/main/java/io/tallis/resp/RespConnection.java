package io.tallis.resp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Reply;
import io.tallis.command.RequestHandler;
import io.tallis.metrics.NetworkEvent;
import io.tallis.resp.RespLimits.OutputLimit;
import io.tallis.runtime.Invariant;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.function.Consumer;

/// One connection: reads requests, has them handled, sends the replies. Belongs to its event loop.
///
///     read -> Input, RequestDecoder -> RequestHandler -> ReplyEncoder -> Outbox -> network
///
/// Replies leave at the end of a read, in one go. When the client has changed something in this turn, or waits for
/// an earlier turn, they wait for the journal first (see [Turns]); other connections do not.
///
/// What a client may cost is bounded. Requests stand still, and then the network too, while
///
/// * a command is going to be answered later;
/// * more than [#MAX_REPLY_BYTES] of replies are waiting for the client or for the journal;
/// * the journal is congested and has not confirmed what this client changed, so that each connection adds at most
/// the   changes of one read to a congestion;
/// * the connection has had [#MAX_REQUESTS_A_TURN] requests, until other connections have had their turn.
final class RespConnection extends ChannelInboundHandlerAdapter {
    static final int MAX_REQUESTS_A_TURN = 2048;
    static final int MAX_REPLY_BYTES = 256 * 1024;

    /// No more is read from the network while so much is waiting to be handled.
    static final int MAX_INPUT_BYTES = 64 * 1024;

    /// How long a client may take to read its last replies.
    private static final int SECONDS_TO_END = 60;

    private static final int LONG_REQUEST = 1024;

    // Why requests stand still.
    private static final int SUSPENDED = 1;
    private static final int FULL = 2;
    private static final int CONGESTED = 4;
    private static final int YIELDED = 8;
    private static final int ENDING = 16;

    private static final Logger LOG = System.getLogger(RespConnection.class.getName());

    private final Channel channel;
    private final Worker worker;
    private final Turns turns;
    private final RequestHandler handler;
    private final Connections connections;
    private final RequestDecoder decoder = new RequestDecoder();
    private final Input input;
    private final Outbox outbox;
    private final ConnectionLink link;
    private final Client client;
    private final ReplyEncoder encoder;
    private final OutputGuard guard = new OutputGuard();
    private final Consumer<Reply> requests = this::handleRequests;

    private int pauses;
    private int served;
    private boolean changed;
    private long lastTurn;
    private boolean reading = true;
    private boolean inputEnded;
    private boolean leaving;
    private boolean known;
    private long lastHeard;
    private long endsBy;

    RespConnection(Channel channel, Worker worker, RespServer.Ports ports, long id) {
        this.channel = channel;
        this.worker = worker;
        turns = worker.turns();
        handler = ports.handler();
        connections = ports.connections();
        input = new Input(worker.input(), decoder);
        outbox = new Outbox(channel);
        link = new ConnectionLink(this, channel);
        client = new Client(id, link, worker.counters(), !worker.limits().passwordSet());
        encoder = new ReplyEncoder(client, worker.scratch(), outbox);
    }

    ReplyEncoder encoder() {
        return encoder;
    }

    // From the network

    @Override
    public void channelActive(ChannelHandlerContext context) {
        lastHeard = worker.seconds();
        known = true;
        connections.opened(client);
        worker.add(this);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf received = (ByteBuf) message;
        try {
            receive(received);
        } finally {
            received.release();
        }
    }

    private void receive(ByteBuf received) {
        worker.stats().add(NetworkEvent.BYTES_IN, received.readableBytes());
        lastHeard = worker.seconds();
        while (received.isReadable() && !isEnding()) {
            input.take(received);
            serve();
            settle();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        deliver();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (channel.isWritable()) {
            // Not at once: this may be called from within a flush of ours.
            channel.eventLoop().execute(this::goOnIfPossible);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            inputEnded = true;
            endIfDone();
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
        Level level = cause instanceof IOException ? Level.DEBUG : Level.WARNING;
        LOG.log(level, () -> "Closing the connection from " + link.remoteAddress(), cause);
        kill();
    }

    // Requests

    /// Handles requests as long as there are any and nothing is in the way.
    private void serve() {
        if (pauses != 0) {
            return;
        }
        if (isUnconfirmed() && turns.congested()) {
            pauses |= CONGESTED;
            return;
        }
        answer(requests);
    }

    private void handleRequests(Reply reply) {
        int maxBulkLength = worker.limits().protoMaxBulkLen();
        while (pauses == 0) {
            if (served++ >= MAX_REQUESTS_A_TURN || encoder.pending() > MAX_REPLY_BYTES) {
                pauses |= YIELDED;
                turns.goOnInNextTurn(this);
                return;
            }
            switch (decoder.next(client.authenticated(), maxBulkLength)) {
                case REQUEST -> handle(decoder.arguments(), reply);
                case REFUSED -> refuse(reply);
                case INCOMPLETE, NOTHING -> {
                    return;
                }
            }
        }
    }

    private void handle(Arguments arguments, Reply reply) {
        if (arguments.is(0, "POST") || arguments.is(0, "HOST:")) {
            LOG.log(
                    Level.WARNING,
                    "Closing the connection from {0}: it speaks HTTP, as when somebody misuses a"
                            + " browser to reach this server",
                    link.remoteAddress());
            kill();
            return;
        }
        handler.handle(arguments, client, reply);
        if (arguments.count() > LONG_REQUEST) {
            arguments.shrinkTo(LONG_REQUEST);
        }
        if (link.waiting() > 0) {
            link.drainTo(reply);
        }
    }

    private void refuse(Reply reply) {
        LOG.log(Level.DEBUG, "Closing the connection from {0}: {1}", link.remoteAddress(), decoder.refusal());
        worker.stats().add(NetworkEvent.PROTOCOL_ERROR, 1);
        reply.error(decoder.refusal());
        closeAfterReplies();
    }

    /// Lets replies be given, and notes whether anything was changed. A mistake of ours closes the connection: what
    /// it was told so far may be half a reply.
    private void answer(Consumer<Reply> body) {
        long changesBefore = turns.changes();
        OutputLimit limit = outputLimit(worker.limits());
        outbox.allow(limit.hardBytes());
        encoder.begin();
        try {
            body.accept(encoder);
        } catch (RuntimeException e) {
            LOG.log(Level.ERROR, () -> "Closing the connection from " + link.remoteAddress(), e);
            kill();
        } finally {
            encoder.end();
            if (turns.changes() != changesBefore && !changed) {
                changed = true;
                turns.join(this);
            }
        }
        if (outbox.isOverfull()) {
            outputExceeded();
        }
    }

    private void settle() {
        if (isEnding()) {
            input.clear();
            return;
        }
        input.settle();
        long limit = worker.limits().clientQueryBufferLimit();
        if (input.held() > (limit == 0 ? Input.MOST : Math.min(limit, Input.MOST))) {
            LOG.log(
                    Level.WARNING,
                    "Closing the connection from {0}: its requests exceed client-query-buffer-limit",
                    link.remoteAddress());
            worker.stats().add(NetworkEvent.QUERY_LIMIT, 1);
            kill();
        }
    }

    // Replies

    /// Ends a piece of work: replies leave, or wait for the journal.
    private void deliver() {
        served = 0;
        if (!changed) {
            if (lastTurn > turns.written()) {
                outbox.seal(lastTurn);
            } else {
                flush(outbox.releaseAll());
            }
        }
        regulate();
        endIfDone();
    }

    /// The turn in which this connection changed something is over.
    void endTurn(long turn) {
        changed = false;
        lastTurn = turn;
        outbox.seal(turn);
    }

    /// The journal has that turn, in which this connection changed something.
    void turnWritten(long turn) {
        flush(outbox.release(turn));
        goOnIfPossible();
    }

    private void flush(int bytes) {
        if (bytes > 0) {
            worker.stats().add(NetworkEvent.BYTES_OUT, bytes);
            channel.flush();
        }
    }

    private boolean isUnconfirmed() {
        return changed || lastTurn > turns.written();
    }

    // Standing still and going on

    void suspend() {
        Invariant.check((pauses & SUSPENDED) == 0, "a client waits for one answer at a time");
        pauses |= SUSPENDED;
    }

    void resume(Consumer<Reply> answer) {
        pauses &= ~SUSPENDED;
        if (encoder.isOpen()) {
            answer.accept(encoder);
        } else if (!isEnding()) {
            answer(answer);
            deliver();
            goOnIfPossible();
        }
    }

    /// Sends the messages that are waiting.
    void sendMessages() {
        if (isEnding()) {
            return;
        }
        answer(reply -> {
            if (link.drainTo(reply)) {
                channel.eventLoop().execute(this::sendMessages);
            }
        });
        deliver();
    }

    /// A new turn has begun.
    void goOn() {
        pauses &= ~YIELDED;
        goOnIfPossible();
    }

    private void goOnIfPossible() {
        if (!isFull()) {
            pauses &= ~FULL;
        }
        if (!isUnconfirmed()) {
            pauses &= ~CONGESTED;
        }
        if (pauses == 0 && input.held() > 0) {
            serve();
            settle();
        }
        deliver();
    }

    private boolean isFull() {
        return outbox.bytes() > MAX_REPLY_BYTES || !channel.isWritable();
    }

    /// Reads from the network when what comes can be handled, or there is room to keep some of it.
    private void regulate() {
        if (isFull()) {
            pauses |= FULL;
        }
        boolean hasRoom = (pauses & (FULL | CONGESTED)) == 0 && input.held() < MAX_INPUT_BYTES;
        boolean wanted = pauses == 0 || isEnding() || hasRoom;
        if (wanted != reading && channel.isOpen()) {
            reading = wanted;
            channel.config().setAutoRead(wanted);
        }
    }

    // The end

    boolean isEnding() {
        return (pauses & ENDING) != 0;
    }

    /// Handles no more requests, and closes the connection when all replies have left.
    void closeAfterReplies() {
        if (!isEnding()) {
            pauses |= ENDING;
            endsBy = worker.seconds() + SECONDS_TO_END;
            if (!encoder.isOpen()) {
                settle();
                deliver();
            }
        }
    }

    private void endIfDone() {
        boolean last = isEnding() || (inputEnded && pauses == 0);
        if (last && !leaving && outbox.isEmpty() && !changed) {
            pauses |= ENDING;
            leaving = true;
            leave();
            Farewell.say(channel, worker.isEnding());
        }
    }

    /// Closes the connection at once.
    void kill() {
        pauses |= ENDING;
        leaving = true;
        outbox.close();
        leave();
        var _ = channel.close();
    }

    private void leave() {
        if (known) {
            known = false;
            connections.closed(client);
        }
    }

    void outputExceeded() {
        if (leaving) {
            return;
        }
        LOG.log(
                Level.WARNING,
                "Closing the connection from {0}: {1} bytes of replies are waiting, which is more than"
                        + " client-output-buffer-limit",
                link.remoteAddress(),
                heldOutput());
        worker.stats().add(NetworkEvent.OUTPUT_LIMIT, 1);
        kill();
    }

    /// A second has passed.
    void tick(RespLimits limits) {
        long now = worker.seconds();
        if (isEnding() && now >= endsBy) {
            kill();
        } else if (guard.isExceeded(heldOutput(), outputLimit(limits), now)) {
            outputExceeded();
        } else if (isIdle(limits, now)) {
            LOG.log(Level.DEBUG, "Closing the connection from {0}: it is idle", link.remoteAddress());
            kill();
        }
    }

    private boolean isIdle(RespLimits limits, long now) {
        return limits.timeoutSeconds() > 0
                && now - lastHeard > limits.timeoutSeconds()
                && (pauses & SUSPENDED) == 0
                && !connections.listening(client);
    }

    private OutputLimit outputLimit(RespLimits limits) {
        return connections.listening(client) ? limits.pubsubOutput() : limits.normalOutput();
    }

    // Measures; any thread may ask

    long heldInput() {
        return input.held();
    }

    long heldOutput() {
        return outbox.bytes() + outbox.unsent();
    }
}
