package io.tallis.command.redis;

import io.tallis.command.Arguments;
import io.tallis.command.CommandError;
import io.tallis.command.CommandSettings;
import io.tallis.command.Numbers;
import io.tallis.keyspace.Counters;
import io.tallis.runtime.Live;

/// Assigns values to keys: one that is written as a whole number of 64 signed bits as a number, which can be
/// incremented, any other as text of a bounded length.
final class Assignments {
    private final Live<CommandSettings> settings;

    Assignments(Live<CommandSettings> settings) {
        this.settings = settings;
    }

    /// Refuses a value that is too long.
    void require(Arguments arguments, int valueWord) {
        requireLength(arguments.length(valueWord));
    }

    /// The same for a value to be made. Any number is shorter than the least bound.
    void requireLength(long length) {
        if (length > settings.now().maxValueBytes()) {
            throw new CommandError("ERR string exceeds maximum allowed size (value-max-len)");
        }
    }

    /// Assigns the value in a word to the key in another; refuses a key with a GCOUNT only. `deadline` is that of
    /// [Counters#assign].
    void assign(Arguments arguments, int keyWord, int valueWord, long deadline, Counters counters) {
        assign(
                arguments,
                keyWord,
                arguments.array(),
                arguments.offset(valueWord),
                arguments.length(valueWord),
                deadline,
                counters);
    }

    /// Assigns other bytes, and keeps the deadline.
    void assign(Arguments arguments, int keyWord, byte[] bytes, Counters counters) {
        assign(arguments, keyWord, bytes, 0, bytes.length, Counters.KEEP, counters);
    }

    private static void assign(
            Arguments arguments, int keyWord, byte[] bytes, int offset, int length, long deadline, Counters counters) {
        boolean done = Numbers.isSigned(bytes, offset, length)
                ? counters.set(arguments.key(keyWord), Numbers.signed(bytes, offset, length), deadline)
                : counters.set(arguments.key(keyWord), bytes, offset, length, deadline);
        if (!done) {
            throw CommandError.wrongType();
        }
    }
}
