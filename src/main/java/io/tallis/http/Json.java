package io.tallis.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/// JSON and UTF-8 as bytes.
final class Json {
    /// Deeper JSON is refused. No request has more than arrays or objects within an array.
    private static final int DEEPEST = 8;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEEPEST)
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
            .build();

    private Json() {}

    static byte[] written(Response.Body body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        write(body, bytes);
        return bytes.toByteArray();
    }

    static void write(Response.Body body, ByteArrayOutputStream bytes) {
        try (JsonGenerator out = FACTORY.createGenerator(bytes)) {
            body.writeTo(out);
        } catch (IOException e) {
            throw new UncheckedIOException("JSON is written to memory", e);
        }
    }

    static JsonParser parser(byte[] json) throws IOException {
        return FACTORY.createParser(json);
    }

    /// The text in UTF-8, or a refusal: half of a surrogate pair has no form in UTF-8.
    static byte[] utf8(String text) {
        try {
            ByteBuffer bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
            byte[] utf8 = new byte[bytes.remaining()];
            bytes.get(utf8);
            return utf8;
        } catch (CharacterCodingException _) {
            throw HttpRefusal.badRequest("ERR a string in the JSON is not valid Unicode");
        }
    }

    /// The text of bytes in UTF-8, or a refusal.
    static String text(byte[] utf8) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(utf8))
                    .toString();
        } catch (CharacterCodingException _) {
            throw HttpRefusal.badRequest("ERR a name in the URL is not UTF-8");
        }
    }
}
