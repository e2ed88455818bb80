package io.tallis.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.tallis.resp.FrontEnd;
import java.util.List;

/// Netty's decoder of requests, which refuses what another server in front of this one might read in another way.
final class StrictDecoder extends HttpRequestDecoder {
    /// The longest request line. A URL may name many counters.
    static final int LONGEST_LINE = 64 * 1024;

    /// The most bytes of all headers together.
    static final int MOST_HEADERS = 16 * 1024;

    private final FrontEnd.Meter meter;

    /// The bytes of the lines that were read since the last message.
    private int linesHeld;

    StrictDecoder(FrontEnd.Meter meter) {
        super(new HttpDecoderConfig()
                .setMaxInitialLineLength(LONGEST_LINE)
                .setMaxHeaderSize(MOST_HEADERS)
                .setStrictLineParsing(true)
                .setAllowDuplicateContentLengths(false));
        this.meter = meter;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        meter.received(((ByteBuf) message).readableBytes());
        super.channelRead(context, message);
    }

    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
        throw new IllegalArgumentException("both Content-Length and Transfer-Encoding");
    }

    /// Whether a request has begun and its head is not complete.
    boolean isInHead() {
        return bytesHeld() > 0;
    }

    /// The bytes of a head that is not complete. About right on another thread.
    int bytesHeld() {
        return linesHeld + actualReadableBytes();
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws Exception {
        int bytes = in.readableBytes();
        int messages = out.size();
        super.decode(context, in, out);
        linesHeld = out.size() > messages ? 0 : linesHeld + bytes - in.readableBytes();
    }
}
