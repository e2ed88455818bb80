package io.tallis.command.hash;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.CommandError;
import io.tallis.command.CommandSettings;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.crdt.Cell;
import io.tallis.keyspace.Hashes;
import io.tallis.runtime.Live;
import java.nio.charset.StandardCharsets;

/// What commands for hashes have in common: they name the hash in word 1 and fields in others.
final class Fields {
    private final Live<CommandSettings> settings;

    Fields(Live<CommandSettings> settings) {
        this.settings = settings;
    }

    /// Refuses a field to be changed whose name is too long together with that of the hash in the word `hash`.
    void requireName(Arguments arguments, int hash, int word) {
        int most = settings.now().maxKeyBytes();
        if (!Hashes.fits(arguments.key(hash), arguments.length(word), most)) {
            throw new CommandError("ERR the key and the field have "
                    + (arguments.length(hash) + arguments.length(word)) + " bytes, expected some less than " + most
                    + " (max-key-length)");
        }
    }

    /// Refuses a value that is too long.
    void requireValue(Arguments arguments, int word) {
        if (arguments.length(word) > settings.now().maxValueBytes()) {
            throw new CommandError("ERR string exceeds maximum allowed size (value-max-len)");
        }
    }

    /// Reads the field in a word, for [io.tallis.keyspace.Counters#cell]. Returns whether it exists. Refuses a key that
    /// is a string.
    static boolean read(Arguments arguments, int word, Client client) {
        Hashes hashes = client.counters().hashes();
        boolean found =
                hashes.read(arguments.key(1), arguments.array(), arguments.offset(word), arguments.length(word));
        if (!found) {
            requireNoString(arguments, client);
        }
        return client.lookedUp(found);
    }

    /// Refuses a key that is a string and no hash.
    static void requireNoString(Arguments arguments, Client client) {
        if (client.counters().hashes().isString(arguments.key(1))) {
            throw CommandError.wrongType();
        }
    }

    /// Assigns the value in the word behind that of a field. Returns whether the field is new.
    static boolean assign(Arguments arguments, int word, Client client) {
        Hashes hashes = client.counters().hashes();
        byte[] bytes = arguments.array();
        int offset = arguments.offset(word);
        int length = arguments.length(word);
        int valueOffset = arguments.offset(word + 1);
        int valueLength = arguments.length(word + 1);
        Hashes.Assignment done = Numbers.isSigned(bytes, valueOffset, valueLength)
                ? hashes.assign(
                        arguments.key(1), bytes, offset, length, Numbers.signed(bytes, valueOffset, valueLength))
                : hashes.assign(arguments.key(1), bytes, offset, length, bytes, valueOffset, valueLength);
        if (done == Hashes.Assignment.WRONG_TYPE) {
            throw CommandError.wrongType();
        }
        return done == Hashes.Assignment.MADE;
    }

    /// Replies the value of a field as a string.
    static void answer(Cell cell, Reply reply) {
        if (cell.hasText()) {
            reply.bulk(cell.parts().array(), cell.textOffset(), cell.textLength());
        } else {
            reply.digits(cell.value());
        }
    }

    /// How long that string is.
    static int length(Cell cell) {
        return cell.hasText()
                ? cell.textLength()
                : Long.toString(cell.value()).getBytes(StandardCharsets.US_ASCII).length;
    }
}
