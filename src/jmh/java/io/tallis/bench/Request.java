package io.tallis.bench;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.redis.ArrayRedisMessage;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.RedisEncoder;
import io.netty.handler.codec.redis.RedisMessage;
import java.util.List;

/// A request as bytes: encoded once, then copied with other digits in the place of its key's.
final class Request {
    private final byte[] template;
    private final int lastDigit;

    private Request(byte[] template, int lastDigit) {
        this.template = template;
        this.lastDigit = lastDigit;
    }

    /// What this side is to be asked for.
    static Request of(Workload workload, Side side) {
        String key = Keys.name(0);
        byte[] bytes = encode(workload.words(side, key));
        int keyOffset = new String(bytes, US_ASCII).indexOf(key);
        return new Request(bytes, keyOffset + key.length() - 1);
    }

    private static byte[] encode(List<String> words) {
        EmbeddedChannel encoder = new EmbeddedChannel(new RedisEncoder());
        encoder.writeOutbound(message(words));
        ByteBuf bytes = Unpooled.buffer();
        for (ByteBuf part = encoder.readOutbound(); part != null; part = encoder.readOutbound()) {
            bytes.writeBytes(part);
            part.release();
        }
        encoder.finishAndReleaseAll();
        byte[] encoded = new byte[bytes.readableBytes()];
        bytes.readBytes(encoded);
        return encoded;
    }

    /// The words as a message for [RedisEncoder].
    static RedisMessage message(List<String> words) {
        return new ArrayRedisMessage(words.stream()
                .<RedisMessage>map(word -> new FullBulkStringRedisMessage(Unpooled.copiedBuffer(word, US_ASCII)))
                .toList());
    }

    int length() {
        return template.length;
    }

    /// Appends the request for the key numbered `key`.
    void write(long key, ByteBuf out) {
        int start = out.writerIndex();
        out.writeBytes(template);
        long rest = key;
        for (int i = 0; i < Keys.DIGITS; i++) {
            out.setByte(start + lastDigit - i, (int) ('0' + rest % 10));
            rest /= 10;
        }
    }
}
