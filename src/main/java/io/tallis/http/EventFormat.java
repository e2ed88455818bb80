package io.tallis.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.tallis.watch.Reading;
import io.tallis.watch.Watching;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/// Changes of counters as server-sent events.
///
/// ```
/// data: {"name":"likes","value":43}
///
/// data: {"name":"likes","value":null,"deleted":true}
///
/// event: complete
/// data: {}
/// ```
public final class EventFormat implements Watching.Format {
    /// Integers of more bits than this become strings, since JavaScript would round them.
    private static final int BITS = 53;

    private static final byte[] DATA = bytes("data: ");
    private static final byte[] END = bytes("\n\n");

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /// What a stream begins with: a client that loses it tries again after two seconds.
    static byte[] beginning() {
        return bytes("retry: 2000\n\n");
    }

    @Override
    public void reading(Reading reading, ByteArrayOutputStream out) {
        out.writeBytes(DATA);
        Json.write(json -> write(reading, json), out);
        out.writeBytes(END);
    }

    private static void write(Reading reading, JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("name", reading.name());
        json.writeFieldName("value");
        BigInteger value = reading.value();
        if (value == null) {
            json.writeNull();
        } else {
            write(value, json);
        }
        if (!reading.exists()) {
            json.writeBooleanField("deleted", true);
        }
        Map<String, BigInteger> contributions = reading.contributions();
        if (contributions != null) {
            json.writeObjectFieldStart("raw");
            for (Map.Entry<String, BigInteger> each : contributions.entrySet()) {
                json.writeFieldName(each.getKey());
                write(each.getValue(), json);
            }
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    private static void write(BigInteger number, JsonGenerator json) throws IOException {
        if (number.abs().bitLength() <= BITS) {
            json.writeNumber(number.longValue());
        } else {
            json.writeString(number.toString());
        }
    }

    @Override
    public byte[] complete() {
        return bytes("event: complete\ndata: {}\n\n");
    }

    @Override
    public byte[] missed() {
        return bytes("event: missed\ndata: {}\n\n");
    }

    @Override
    public byte[] nothing() {
        return bytes(":\n\n");
    }
}
