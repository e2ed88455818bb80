package io.tallis.resp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Link;
import io.tallis.command.Reply;
import io.tallis.command.dispatch.RequestHandler;
import io.tallis.metrics.NetworkEvent;
import io.tallis.resp.socket.CloseReason;
import io.tallis.resp.socket.LoopTask;
import io.tallis.runtime.Invariant;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.function.Consumer;

/// One client's connection: reads requests, has them handled, sends the replies. Belongs to its event loop.
///
///     bytes ─▶ Input ─▶ RequestDecoder ─▶ RequestBatch ─▶ RequestHandler
///                                                              │ Reply
///     bytes ◀─ channel ◀─ Outbox (waits for LoopTurns) ◀─ ReplyEncoder
///
/// This is the only class that knows all parts of a connection. The parts do not know it, except through the interfaces
/// [LoopMember] and [ConnectionLink.Target].
///
/// A piece of work is what is done without a break: handling the requests of a read, or one late answer. At its end
/// replies leave, or wait for the journal. The cost of a client is bounded by stopping its requests ([Flow]) and by
/// closing its connection ([ConnectionLimits]).
final class RespConnection extends ChannelInboundHandlerAdapter implements LoopMember, ConnectionLink.Target {
    /*
     * What has to hold whatever a client does
     * ---------------------------------------
     * No reply before its change (I3). `write` compares the event loop's count of changes before and after, and does
     * not ask the command: a command that fails after a change has to wait for the journal as well.
     *
     * Order. Replies leave in the order of the requests. So behind a reply that waits for the journal those of mere
     * reads wait too, on this connection only (Outbox).
     *
     * Fairness. An event loop has many connections. A client with a long pipeline is interrupted after some requests,
     * replies or changes, and goes on in the next turn, behind the others (Flow.YIELDED).
     *
     * Bounded memory. Each kind of bytes has a bound at which the client is made to wait, and one at which the
     * connection closes:
     *
     *     requests that wait     not read from the network any more    client-query-buffer-limit
     *     replies that wait      no further request is handled         client-output-buffer-limit
     *     published messages     none: their publishers must not wait  client-output-buffer-limit
     *     all clients together   earlier pauses (isFull)               the largest are closed (Evictor)
     *
     * No work within work. Netty may call back out of a write or a flush, and the journal may tell an outcome while a
     * turn ends. Whatever would handle further requests then is put off as a task (`goOnLater`).
     */

    /// A piece of work ends when it has encoded more bytes of replies than this, and no further request is handled
    /// while more than this wait for the journal.
    static final int MAX_BYTES = 256 * 1024;

    private final Channel channel;
    private final RespLoop loop;
    private final RequestHandler handler;
    private final RequestDecoder decoder = new RequestDecoder();
    private final Input input;
    private final FrontEnd.Upstream upstream;
    private final ConnectionLink link;
    private final Client client;
    private final Outbox outbox;
    private final ReplyEncoder encoder;
    private final ConnectionLimits limits;
    private final Flow flow;
    private final ConnectionEnd end;
    private final Consumer<Reply> requests = this::handleRequests;
    private final LoopTask goOnLater = new LoopTask(this::goOnIfPossible);

    private int handled;

    RespConnection(Channel channel, RespLoop loop, RequestHandler handler, long id, FrontEnd.Upstream upstream) {
        this.channel = channel;
        this.loop = loop;
        this.handler = handler;
        this.upstream = upstream;
        input = new Input(loop.input(), decoder);
        link = new ConnectionLink(this, channel, loop.memory(), !upstream.isSocket());
        client = new Client(id, link, loop.counters());
        outbox = new Outbox(channel, loop.turns()::written);
        encoder = new ReplyEncoder(client, loop.scratch(), outbox);
        limits = new ConnectionLimits(loop::limits, loop::seconds, client::isListening);
        flow = new Flow(channel, upstream);
        end = new ConnectionEnd(channel, loop, client, outbox, flow);
    }

    /// The handler that belongs in front of this one in the pipeline.
    ReplyEncoder encoder() {
        return encoder;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        end.opened();
        loop.add(this);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf received = (ByteBuf) message;
        if (upstream.isSocket()) {
            loop.received(received.readableBytes());
        } else {
            loop.translated(received.readableBytes());
        }
        limits.active();
        handler.begins(client);
        try {
            while (received.isReadable() && !end.hasBegun()) {
                input.take(received);
                handleIfFree();
                keepRemainder();
            }
        } finally {
            received.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        finishPiece();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (channel.isWritable()) {
            // As a task, since a flush of this connection may be the caller.
            goOnLater.on(channel.eventLoop());
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            end.inputEnded();
        } else if (event instanceof SslHandshakeCompletionEvent handshake
                && handshake.isSuccess()
                && upstream.isSocket()) {
            String name = CertificateName.of(channel);
            if (name != null) {
                loop.observer().certified(client, name);
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        kill();
        link.dropMessages();
        loop.stats().add(NetworkEvent.CLOSED, 1);
        loop.remove(this);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof IOException || cause instanceof DecoderException) {
            end.atOnce(Level.DEBUG, CloseReason.of(cause));
        } else {
            end.atOnce(cause);
        }
    }

    private void handleIfFree() {
        // While the journal is behind, a client whose change waits for it runs no further request. The others go on, so
        // that a slow disk does not hold up those that only read.
        if (outbox.isUnconfirmed() && loop.turns().isCongested()) {
            flow.stop(Flow.CONGESTED);
        }
        if (flow.isFree()) {
            write(requests);
        }
    }

    /// Handles requests until there are none, or something stops them.
    private void handleRequests(Reply reply) {
        // Messages published before these requests come first: their publishers know that they were sent, and the
        // client may be about to unsubscribe.
        encodeMessages(reply);
        RequestBatch batch = loop.batch();
        int maxBulkLength = loop.limits().protoMaxBulkLen();
        try {
            while (flow.isFree()) {
                if (mustYield() || loop.isInterrupted()) {
                    flow.stop(Flow.YIELDED);
                    loop.turns().continueInNextTurn(this);
                    return;
                }
                if (batch.isEmpty()) {
                    RequestDecoder.Step step = batch.fill(decoder, mayRunCommands(), maxBulkLength);
                    if (step == RequestDecoder.Step.REFUSED) {
                        refuse(reply);
                    }
                    if (step != RequestDecoder.Step.REQUEST) {
                        return;
                    }
                }
                handled++;
                handle(batch.next(decoder), reply);
                // The request may have been AUTH, RESET or a CONFIG SET of the password.
                batch.dropIfStale(decoder, mayRunCommands());
            }
        } finally {
            batch.drop(decoder);
        }
    }

    /// Whether this piece of work has to end, so that other connections have their turn.
    private boolean mustYield() {
        return handled >= LoopTurns.MAX_REQUESTS
                || encoder.pending() > MAX_BYTES
                || loop.turns().isLong();
    }

    private boolean mayRunCommands() {
        return client.mayAct(loop.limits().passwordSet());
    }

    private void handle(Arguments arguments, Reply reply) {
        if (arguments.is(0, "POST") || arguments.is(0, "HOST:")) {
            end.atOnce(Level.WARNING, "it sends HTTP, as a browser does that was tricked into connecting here");
            return;
        }
        handler.handle(arguments, client, reply);
        handled += client.takeExtraWork();
        encodeMessages(reply);
    }

    private void encodeMessages(Reply reply) {
        if (link.hasMessages()) {
            link.encodeMessages(reply);
        }
    }

    private void refuse(Reply reply) {
        end.log(Level.DEBUG, decoder.refusal());
        loop.stats().add(NetworkEvent.PROTOCOL_ERROR, 1);
        if (client.replyMode() == Client.ReplyMode.ON) {
            reply.error(decoder.refusal());
        }
        closeAfterReplies();
    }

    /// Runs `body`, which writes replies. If it changes something, the replies wait for the end of the turn (I3); this
    /// is noted before they are put into the outbox, and also after an exception.
    private void write(Consumer<Reply> body) {
        long changesBefore = loop.counters().changes();
        outbox.limit(mostBytes());
        encoder.begin();
        try {
            try {
                body.accept(encoder);
            } finally {
                if (loop.counters().changes() != changesBefore && outbox.awaitEndOfTurn()) {
                    loop.turns().join(this);
                }
                encoder.end();
            }
        } catch (RuntimeException | Error bug) {
            end.atOnce(bug);
        }
        if (outbox.isOverfull()) {
            outputExceeded();
        }
    }

    /// Keeps the bytes that were not handled, and frees the shared array for other connections.
    private void keepRemainder() {
        if (end.hasBegun()) {
            input.clear();
            return;
        }
        input.freeShared();
        if (input.exceeds(loop.limits().clientQueryBufferLimit())) {
            end.atOnce(NetworkEvent.QUERY_LIMIT, "its requests exceed client-query-buffer-limit");
        } else if (!flow.isFree()) {
            // At once, because Netty may deliver more bytes before channelReadComplete.
            flow.regulate(input.held());
        }
    }

    private void finishPiece() {
        handled = 0;
        flush(outbox.releaseReady());
        if (isFull()) {
            flow.stop(Flow.FULL);
        }
        flow.regulate(input.held());
        end.closeIfDone();
        loop.turns().pieceDone();
    }

    private void flush(int bytes) {
        if (bytes > 0) {
            client.inTouch(loop.nanos());
            channel.flush();
            if (upstream.isSocket()) {
                loop.sent(bytes);
            } else {
                loop.translated(bytes);
            }
        }
    }

    /// Whether so many replies wait that no further request should be handled. Fewer may wait for the network when the
    /// memory of all clients is half full.
    private boolean isFull() {
        return outbox.bytes() > MAX_BYTES
                || (!channel.isWritable()
                        && (loop.memory().isHalfFull() || outbox.waitingBytes() > limits.pauseBytes()));
    }

    private void goOnIfPossible() {
        if (!isFull()) {
            flow.release(Flow.FULL);
        }
        if (!outbox.isUnconfirmed()) {
            flow.release(Flow.CONGESTED);
        }
        if (flow.isFree() && input.held() > 0) {
            handleIfFree();
            keepRemainder();
        }
        finishPiece();
    }

    /// Writes in a piece of work of its own: a late answer or published messages.
    private void writeAsPiece(Consumer<Reply> body) {
        if (!end.hasBegun()) {
            write(body);
            finishPiece();
        }
    }

    @Override
    public void turnEnded(long turn) {
        outbox.turnEnded(turn);
    }

    @Override
    public void turnWritten(long turn) {
        flush(outbox.release(turn));
        if (input.held() > 0) {
            // As a task, since a turn may be ending right now, to which nothing must be added.
            goOnLater.on(channel.eventLoop());
        } else {
            goOnIfPossible();
        }
    }

    @Override
    public void turnLost() {
        kill();
    }

    @Override
    public void turnBegan() {
        flow.release(Flow.YIELDED);
        goOnIfPossible();
    }

    @Override
    public void messagesWait() {
        if (end.hasBegun()) {
            link.dropMessages();
        } else if (loop.memoryCheckIsDue()) {
            // The memory of all clients is about to be checked. Encoding goes on after that, if the client is still
            // there.
            link.sendLater();
        } else {
            writeAsPiece(reply -> {
                if (link.encodeMessages(reply)) {
                    link.sendLater();
                }
            });
        }
    }

    @Override
    public void suspend() {
        Invariant.check(!flow.isStoppedFor(Flow.SUSPENDED), "a client waits for one answer at a time");
        flow.stop(Flow.SUSPENDED);
        end.suspended();
    }

    @Override
    public void resume(Consumer<Reply> answer) {
        flow.release(Flow.SUSPENDED);
        limits.active();
        if (encoder.isOpen()) {
            answer.accept(encoder);
        } else {
            writeAsPiece(answer);
            goOnIfPossible();
        }
    }

    @Override
    public boolean isReplying() {
        return encoder.isOpen();
    }

    @Override
    public void closeAfterReplies() {
        if (end.hasBegun()) {
            return;
        }
        end.begin();
        if (!encoder.isOpen()) {
            keepRemainder();
            finishPiece();
        }
    }

    @Override
    public void kill() {
        end.atOnce();
    }

    @Override
    public long mostBytes() {
        long hard = limits.hardBytes();
        long mostOfAll = loop.limits().clientsBytes();
        return hard == 0 ? mostOfAll : Math.min(hard, mostOfAll);
    }

    @Override
    public void outputExceeded() {
        end.atOnce(
                NetworkEvent.OUTPUT_LIMIT,
                "replies that wait for it exceed client-output-buffer-limit, or the limit of all clients together");
    }

    @Override
    public Link.Buffers buffers(long messageBytes) {
        return new Link.Buffers(
                input.unhandled() + upstream.held(),
                input.room(),
                decoder.arguments().tableBytes(),
                outbox.buffers(),
                outbox.waitingBytes(),
                messageBytes,
                channel.config().isAutoRead(),
                outbox.unsent() > 0);
    }

    @Override
    public long bytes() {
        return client.bufferBytes();
    }

    @Override
    public boolean isEvictable() {
        return !client.noEvict();
    }

    @Override
    public void evict() {
        end.atOnce(NetworkEvent.EVICTED, "all clients together take too much memory, and this one the most");
    }

    @Override
    public void tick() {
        boolean waitsForUs = flow.isStoppedFor(Flow.SUSPENDED) || outbox.isUnconfirmed();
        if (end.isOverdue()) {
            end.atOnce();
        } else if (limits.isExceededBy(outbox.waitingBytes())) {
            outputExceeded();
        } else if (!waitsForUs && limits.isIdleTooLong()) {
            end.atOnce(Level.DEBUG, "it is idle");
        } else if (end.isAnswerOverdue()) {
            end.log(Level.DEBUG, "it has closed its side, and the reply to its last request takes long");
            closeAfterReplies();
        } else if (flow.isStoppedFor(Flow.FULL) && !isFull()) {
            // Other clients may have left, or limits may have been raised.
            goOnIfPossible();
        }
    }
}
