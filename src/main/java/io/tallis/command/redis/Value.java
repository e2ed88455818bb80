package io.tallis.command.redis;

import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.Reply;
import io.tallis.crdt.Cell;
import io.tallis.crdt.CounterType;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The value of a key as Redis's commands see it: that of its PNCOUNT, else that of its GCOUNT. A copy, which stays
/// when the key is changed.
final class Value {
    private static final byte[] NOTHING = {};

    /// Null for a missing key.
    private final @Nullable CounterType type;

    private final long number;

    /// Null for a number.
    private final byte @Nullable [] text;

    private Value(@Nullable CounterType type, long number, byte @Nullable [] text) {
        this.type = type;
        this.number = number;
        this.text = text;
    }

    /// Reads the value for a client that asks for it.
    static Value read(Key key, Client client) {
        Value value = read(key, client.counters());
        requireNoHash(value.exists(), key, client);
        client.lookedUp(value.exists());
        return value;
    }

    static Value read(Key key, Counters counters) {
        CounterType type = counters.readAny(key);
        Cell cell = counters.cell();
        boolean hasText = type == CounterType.PNCOUNT && cell.hasText();
        return new Value(type, type == null ? 0 : counters.value(), hasText ? textOf(cell) : null);
    }

    /// Refuses a key that is only a hash.
    static void requireNoHash(boolean exists, Key key, Client client) {
        if (!exists && client.counters().hashes().exists(key)) {
            throw CommandError.wrongType();
        }
    }

    static byte[] textOf(Cell cell) {
        int offset = cell.textOffset();
        return Arrays.copyOfRange(cell.parts().array(), offset, offset + cell.textLength());
    }

    boolean exists() {
        return type != null;
    }

    /// Refuses the value of a GCOUNT, for commands that change values.
    Value requireNoGCount() {
        if (type == CounterType.GCOUNT) {
            throw CommandError.wrongType();
        }
        return this;
    }

    /// What `GET` replies, empty for a missing key.
    byte[] bytes() {
        if (text != null) {
            return text;
        }
        return switch (type) {
            case PNCOUNT, FIELD, TOKEN -> Long.toString(number).getBytes(StandardCharsets.US_ASCII);
            case GCOUNT -> Long.toUnsignedString(number).getBytes(StandardCharsets.US_ASCII);
            case null -> NOTHING;
        };
    }

    /// Replies the value as a string, or null.
    void answer(Reply reply) {
        if (type == null) {
            reply.nil();
        } else {
            reply.bulk(bytes());
        }
    }

    /// Reads a value and replies it, without a copy.
    static void answer(Key key, Client client, Reply reply) {
        CounterType type = client.counters().readAny(key);
        requireNoHash(type != null, key, client);
        answer(type, client, reply);
    }

    /// The same for one of several keys: null for a hash.
    static void answerIfAny(Key key, Client client, Reply reply) {
        answer(client.counters().readAny(key), client, reply);
    }

    private static void answer(@Nullable CounterType type, Client client, Reply reply) {
        Counters counters = client.counters();
        client.lookedUp(type != null);
        Cell cell = counters.cell();
        switch (type) {
            case PNCOUNT, FIELD, TOKEN -> {
                if (cell.hasText()) {
                    reply.bulk(cell.parts().array(), cell.textOffset(), cell.textLength());
                } else {
                    reply.digits(counters.value());
                }
            }
            case GCOUNT -> reply.unsignedDigits(counters.value());
            case null -> reply.nil();
        }
    }
}
