package io.tallis.http;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.exc.StreamReadException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Reads JSON of requests: a command as an array of words, several as an array of arrays, changes of counters as an
/// array of objects.
final class CommandReader {
    private CommandReader() {}

    @FunctionalInterface
    private interface Shape<T> {
        T read(JsonParser in) throws IOException;
    }

    /// A change of a counter. `amount` is what the request has, digits or not.
    record Change(String name, String amount) {}

    /// `["INCRBY", "visits", 5]`
    static List<byte[]> command(ByteBuf json) {
        return whole(json, CommandReader::words);
    }

    /// `[["INCR", "a"], ["GET", "b"]]`
    static List<List<byte[]>> commands(ByteBuf json) {
        return whole(json, in -> list(in, CommandReader::words));
    }

    /// `[{"name": "visits", "change": 5}]`
    static List<Change> changes(ByteBuf json) {
        return whole(json, in -> list(in, CommandReader::change));
    }

    private static <T> T whole(ByteBuf json, Shape<T> shape) {
        try (JsonParser in = Json.parser(ByteBufUtil.getBytes(json))) {
            if (in.nextToken() == null) {
                throw HttpRefusal.badRequest("ERR the body is empty, expected a JSON array");
            }
            T value = shape.read(in);
            if (in.nextToken() != null) {
                throw HttpRefusal.badRequest("ERR the body goes on behind its JSON array");
            }
            return value;
        } catch (StreamReadException e) {
            throw HttpRefusal.badRequest("ERR the body is not valid JSON" + place(e.getLocation()));
        } catch (StreamConstraintsException e) {
            throw HttpRefusal.badRequest("ERR the JSON is nested too deep, or has a number or name that is too long"
                    + place(e.getLocation()));
        } catch (IOException _) {
            throw HttpRefusal.badRequest("ERR the body is not JSON in UTF-8");
        }
    }

    /// In place of the parser's own texts, which name its classes and options.
    private static String place(@Nullable JsonLocation at) {
        return at == null ? "" : ", at line " + at.getLineNr() + ", column " + at.getColumnNr();
    }

    private static <T> List<T> list(JsonParser in, Shape<T> shape) throws IOException {
        require(in, JsonToken.START_ARRAY, "an array");
        List<T> elements = new ArrayList<>();
        while (in.nextToken() != JsonToken.END_ARRAY) {
            elements.add(shape.read(in));
        }
        return elements;
    }

    private static List<byte[]> words(JsonParser in) throws IOException {
        List<byte[]> words = list(in, CommandReader::word);
        if (words.isEmpty()) {
            throw HttpRefusal.badRequest("ERR a command is an empty array");
        }
        return words;
    }

    private static byte[] word(JsonParser in) throws IOException {
        JsonToken token = in.currentToken();
        if (token == null || !token.isScalarValue() || token == JsonToken.VALUE_NULL) {
            throw expected(in, "a string, a number or a boolean as a word of a command");
        }
        return Json.utf8(in.getText());
    }

    private static Change change(JsonParser in) throws IOException {
        require(in, JsonToken.START_OBJECT, "an object");
        String name = null;
        String amount = "1";
        while (in.nextToken() != JsonToken.END_OBJECT) {
            String field = in.currentName();
            JsonToken value = in.nextToken();
            if (field.equals("name") && value == JsonToken.VALUE_STRING) {
                name = in.getText();
            } else if (field.equals("change")
                    && (value == JsonToken.VALUE_STRING || value == JsonToken.VALUE_NUMBER_INT)) {
                amount = in.getText();
            } else {
                throw expected(in, "a string as \"name\" and an integer as \"change\", and nothing else");
            }
        }
        if (name == null) {
            throw expected(in, "a \"name\" in each change");
        }
        return new Change(name, amount);
    }

    private static void require(JsonParser in, JsonToken token, String text) {
        if (in.currentToken() != token) {
            throw expected(in, text);
        }
    }

    private static HttpRefusal expected(JsonParser in, String text) {
        return HttpRefusal.badRequest("ERR the JSON is wrong, expected " + text + place(in.currentTokenLocation()));
    }
}
