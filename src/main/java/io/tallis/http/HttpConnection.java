package io.tallis.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.tallis.resp.FrontEnd;
import io.tallis.resp.socket.LoopTask;
import io.tallis.runtime.Live;
import io.tallis.watch.Topic;
import io.tallis.watch.Watcher;
import io.tallis.watch.Watching;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// One client's connection that speaks HTTP, in front of a connection of RESP. Belongs to the event loop.
///
///     HttpRequest, HttpContent ──▶ RequestHead ──▶ Router ──▶ Work ──▶ commands, as bytes of RESP
///                                                              │
///     response ◀── the oldest Exchange that waits ◀────────────┴────── replies, as bytes of RESP
///
/// A request goes on to RESP when it is complete. Responses leave in the order of the requests: replies come in that
/// order, and a response that needs none waits for its turn too.
///
/// What bounds a client: a request has a longest head and body; reading stops while [#MOST_WAITING] requests wait for
/// replies, while the client does not take its responses, and while the connection of RESP wants no more; a response is
/// not made from more than [#MOST_REPLY_BYTES]; a connection on which no request becomes complete is closed after
/// [#SECONDS_TO_REQUEST].
final class HttpConnection extends ChannelDuplexHandler implements FrontEnd.Upstream {
    /// No more requests are read while so many wait for replies. Those that were read with them go on.
    static final int MOST_WAITING = 64;

    /// The most bytes of replies of one request.
    static final int MOST_REPLY_BYTES = 8 << 20;

    /// How long a connection may be idle, or a client may take to send a request.
    static final int SECONDS_TO_REQUEST = 60;

    private static final int SECONDS_TO_LOOK = 5;
    private static final String CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
    private static final String TOO_MANY = "ERR max number of clients reached";

    private final Channel channel;
    private final Router router;
    private final Live<HttpLimits> limits;
    private final StrictDecoder decoder;
    private final FrontEnd.Meter meter;
    private final boolean onlyProbes;
    private final Queue<Exchange> waiting = new ArrayDeque<>();
    private final ReplyScanner scanner = new ReplyScanner();

    /// The request whose body is being read.
    private @Nullable RequestHead head;

    /// The origin of the last request, if it may use this server.
    private String origin = "";

    private ByteBuf body = Unpooled.EMPTY_BUFFER;
    private ByteBuf replies = Unpooled.EMPTY_BUFFER;
    private @Nullable ChannelFuture lastResponse;
    private boolean wanted = true;
    private boolean owesContinue;

    /// The login that the connection of RESP has; null for that of a new connection.
    private @Nullable Login login;

    /// Whether the last request was read: what follows is dropped.
    private boolean ending;

    /// Whether the last response was written: replies that follow are dropped.
    private boolean ended;

    private boolean resuming;
    private int idleSeconds;

    /// Set while this connection is a stream of events.
    private @Nullable Watcher watcher;

    /// `onlyProbes` is whether this connection was admitted although there were too many: it answers one probe.
    HttpConnection(
            Channel channel,
            Router router,
            Live<HttpLimits> limits,
            StrictDecoder decoder,
            FrontEnd.Meter meter,
            boolean onlyProbes) {
        this.onlyProbes = onlyProbes;
        this.meter = meter;
        this.channel = channel;
        this.router = router;
        this.limits = limits;
        this.decoder = decoder;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        context.fireChannelActive();
        lookLater(context);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (!ending && message instanceof HttpRequest request) {
                begin(context, request);
            }
            if (!ending && head != null && message instanceof HttpContent content) {
                take(context, head, content);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.fireChannelReadComplete();
        context.flush();
    }

    private void begin(ChannelHandlerContext context, HttpRequest request) {
        try {
            HttpLimits now = limits.now();
            origin = Origins.allowed(request.headers(), now);
            RequestHead begun = RequestHead.of(request, now);
            if (onlyProbes && !Router.isAnsweredWhenFull(begun.target().path())) {
                throw new HttpRefusal(HttpResponseStatus.SERVICE_UNAVAILABLE, TOO_MANY);
            }
            head = begun;
            if (begun.awaitsContinue()) {
                owesContinue = true;
                continueIfOwed(context);
            }
        } catch (HttpRefusal refusal) {
            // The body, if there is one, will not be read, and so the place of the next request is not known.
            boolean keepsAlive = request.decoderResult().isSuccess()
                    && request.protocolVersion().majorVersion() == 1
                    && HttpUtil.isKeepAlive(request)
                    && !request.headers().contains(HttpHeaderNames.CONTENT_LENGTH)
                    && !request.headers().contains(HttpHeaderNames.TRANSFER_ENCODING);
            refuse(context, refusal, request.method().equals(HttpMethod.HEAD), keepsAlive && !onlyProbes);
        }
    }

    private void take(ChannelHandlerContext context, RequestHead request, HttpContent content) {
        HttpLimits now = limits.now();
        ByteBuf bytes = content.content();
        if (content.decoderResult().isFailure()) {
            refuse(context, HttpRefusal.badRequest("ERR the body ends too early or is not in chunks"), false, false);
        } else if (body.readableBytes() + (long) bytes.readableBytes() > now.mostRequestBytes()) {
            refuse(context, RequestHead.tooLong(now), false, false);
        } else {
            if (bytes.isReadable()) {
                if (body.capacity() == 0) {
                    body = context.alloc().buffer(bytes.readableBytes());
                }
                body.writeBytes(bytes);
            }
            if (content instanceof LastHttpContent) {
                owesContinue = false;
                finish(context, request, now);
            }
        }
    }

    /// The request is complete.
    private void finish(ChannelHandlerContext context, RequestHead request, HttpLimits now) {
        boolean isHead = request.method().equals(HttpMethod.HEAD);
        try {
            Work work = Origins.isQuestion(request.method(), request.headers(), now)
                    ? Origins.answer()
                    : router.workOf(request.with(body));
            dropRequest();
            work.requireWithin(now);
            Login wanted = request.caller().login();
            if (!work.commands().isEmpty() && !Objects.equals(login, wanted)) {
                run(context, Exchange.silent(change(login, wanted)));
                login = wanted;
            }
            // A stream of events is the last response of its connection: requests that were sent behind it are dropped.
            boolean mayFollow = !onlyProbes && !request.target().path().equals(Router.WATCH);
            run(context, Exchange.of(work, isHead, origin, request.keepsAlive() && mayFollow));
        } catch (HttpRefusal refusal) {
            refuse(context, refusal, isHead, request.keepsAlive() && !onlyProbes);
        }
    }

    /// Makes the connection of RESP that of another login. What a former one was allowed ends first, so that it is not
    /// inherited should the user be gone by then.
    private static Work change(@Nullable Login from, @Nullable Login to) {
        List<List<byte[]>> commands = new ArrayList<>();
        if (from != null) {
            commands.add(List.of(Work.word("RESET")));
        }
        if (to != null) {
            commands.add(List.of(Work.word("AUTH"), Target.bytes(to.user()), Target.bytes(to.password())));
        }
        return new Work(commands, false, Work.answered(Response.error("")).rendering());
    }

    private void refuse(ChannelHandlerContext context, HttpRefusal refusal, boolean isHead, boolean keepsAlive) {
        dropRequest();
        run(context, Exchange.of(Work.answered(refusal.response()), isHead, origin, keepsAlive));
    }

    private void dropRequest() {
        head = null;
        body.release();
        body = Unpooled.EMPTY_BUFFER;
    }

    private void run(ChannelHandlerContext context, Exchange exchange) {
        idleSeconds = 0;
        ending = !exchange.keepsAlive();
        if (waiting.isEmpty()) {
            scanner.begin(exchange.replies());
        }
        waiting.add(exchange);
        if (exchange.replies() > 0) {
            context.fireChannelRead(exchange.work().encoded());
        }
        respond(context);
    }

    /// Takes replies of RESP, and passes on whatever else is written.
    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof ByteBuf bytes && bytes.isReadable()) {
            if (ended || watcher != null) {
                bytes.release();
            } else {
                replies = ByteToMessageDecoder.MERGE_CUMULATOR.cumulate(context.alloc(), replies, bytes);
                respond(context);
            }
            promise.trySuccess();
        } else {
            var _ = context.write(message, promise);
        }
    }

    /// Sends the responses whose replies are complete.
    private void respond(ChannelHandlerContext context) {
        Exchange oldest = waiting.peek();
        while (oldest != null && !ended && scanner.findsEnd(replies)) {
            ByteBuf bytes = replies.readSlice(scanner.length());
            waiting.remove();
            if (!oldest.silent()) {
                send(context, oldest, oldest.response(bytes));
            }
            oldest = waiting.peek();
            scanner.begin(oldest == null ? 0 : oldest.replies());
        }
        if (oldest != null && !ended && replies.readableBytes() > MOST_REPLY_BYTES) {
            send(
                    context,
                    oldest,
                    Response.error(
                                    HttpResponseStatus.INTERNAL_SERVER_ERROR,
                                    "ERR the reply has more than " + MOST_REPLY_BYTES
                                            + " bytes; ask for less at a time, as with SCAN")
                            .closing());
        }
        if (!replies.isReadable()) {
            replies.release();
            replies = Unpooled.EMPTY_BUFFER;
        }
        continueIfOwed(context);
        regulate();
    }

    private void send(ChannelHandlerContext context, Exchange exchange, Response response) {
        idleSeconds = 0;
        boolean closes = response.closes() || !exchange.keepsAlive();
        lastResponse = send(context, exchange.encoded(response, closes, context.alloc()));
        Topic topic = response.topic();
        if (topic != null) {
            watcher = router.watch(topic, new Events(context));
        } else if (closes) {
            ending = true;
            ended = true;
            waiting.clear();
            replies.release();
            replies = Unpooled.EMPTY_BUFFER;
            dropRequest();
            // As a task, since the connection of RESP may be the caller.
            new LoopTask(() -> context.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE))
                    .on(channel.eventLoop());
        }
    }

    private ChannelFuture send(ChannelHandlerContext context, ByteBuf bytes) {
        meter.sent(bytes.readableBytes());
        return context.write(bytes);
    }

    /// The stream of events on this connection, which is a response that goes on until the connection closes.
    private final class Events implements Watching.Subscriber {
        private final ChannelHandlerContext context;

        Events(ChannelHandlerContext context) {
            this.context = context;
        }

        @Override
        public Executor loop() {
            return new Loop(context.channel().eventLoop());
        }

        @Override
        public boolean isWritable() {
            return context.channel().isWritable();
        }

        @Override
        public void send(List<byte[]> events) {
            for (byte[] event : events) {
                var _ = HttpConnection.this.send(context, Unpooled.wrappedBuffer(event));
            }
            context.flush();
        }
    }

    private record Loop(EventLoop loop) implements Executor {
        @Override
        public void execute(Runnable task) {
            new LoopTask(task).on(loop);
        }
    }

    /// Asks for the body, when no response has to leave before.
    private void continueIfOwed(ChannelHandlerContext context) {
        if (owesContinue && waiting.isEmpty() && !ended) {
            owesContinue = false;
            var _ = send(context, ByteBufUtil.writeAscii(context.alloc(), CONTINUE));
        }
    }

    @Override
    public void read(boolean wanted) {
        this.wanted = wanted;
        regulate();
    }

    /// Reading goes on after the last request, so that the client gets the last response before the socket closes.
    private void regulate() {
        boolean reads = reads();
        if (!reads && channel.config().isAutoRead()) {
            channel.config().setAutoRead(false);
            // Requests that were read with this one wait, and so does the end of the read at which responses leave.
            new LoopTask(channel::flush).on(channel.eventLoop());
        } else if (reads && !channel.config().isAutoRead() && !resuming) {
            resuming = true;
            // As a task, since the connection of RESP may be the caller, and would get the next request from within.
            new LoopTask(this::resume).on(channel.eventLoop());
        }
    }

    private void resume() {
        resuming = false;
        if (reads()) {
            // Requests that waited are handled within this call, and no end of a read follows them.
            channel.config().setAutoRead(true);
            channel.flush();
        }
    }

    private boolean reads() {
        return ended || (wanted && waiting.size() < MOST_WAITING && channel.isWritable());
    }

    @Override
    public long held() {
        return (long) decoder.bytesHeld() + body.capacity() + replies.capacity();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        regulate();
        context.fireChannelWritabilityChanged();
    }

    private void lookLater(ChannelHandlerContext context) {
        new LoopTask(() -> look(context)).inSeconds(SECONDS_TO_LOOK, channel.eventLoop());
    }

    /// Closes the connection if it has been idle for too long. It is not idle while the client waits for a response or
    /// takes one.
    private void look(ChannelHandlerContext context) {
        if (!channel.isActive() || ended) {
            return;
        }
        boolean isBusy = watcher != null || !waiting.isEmpty() || (lastResponse != null && !lastResponse.isDone());
        idleSeconds = isBusy ? 0 : idleSeconds + SECONDS_TO_LOOK;
        if (idleSeconds < SECONDS_TO_REQUEST) {
            lookLater(context);
        } else if (head != null || decoder.isInHead()) {
            refuse(
                    context,
                    new HttpRefusal(
                            HttpResponseStatus.REQUEST_TIMEOUT,
                            "ERR the request was not complete after " + SECONDS_TO_REQUEST + " seconds"),
                    false,
                    false);
            context.flush();
        } else {
            var _ = context.close();
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        if (watcher != null) {
            watcher.close();
        }
        ending = true;
        ended = true;
        waiting.clear();
        body.release();
        body = Unpooled.EMPTY_BUFFER;
        replies.release();
        replies = Unpooled.EMPTY_BUFFER;
    }
}
