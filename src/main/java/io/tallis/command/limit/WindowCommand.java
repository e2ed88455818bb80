package io.tallis.command.limit;

import static io.tallis.command.limit.LimitCommands.notNegative;

import io.tallis.command.Arguments;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.CommandSettings;
import io.tallis.command.KeyEvent;
import io.tallis.command.Reply;
import io.tallis.command.cluster.Cluster;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Hashes;
import io.tallis.keyspace.Key;
import io.tallis.runtime.Live;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/// `HCOUNT WINDOW key limit seconds [quantity] [SHARE]`: admits at most `limit` requests in any so many seconds. A
/// request takes the place of `quantity`, 0 only asks.
///
/// The key is a hash. Each field counts what was admitted in one part: a tenth of the window, at least half a second.
/// It is named by the seconds of the window and by when the part begins, in milliseconds since 1970, as in
/// `60:1700000000000`, so that windows of different lengths under one key do not meet. A part counts as a whole as
/// long as some of it is in the window. So the limit holds for any stretch of time, and a place is free again up to a
/// part later than it could be.
///
///     window of 60 s at second 62     0  6  12 ... 54  60   these parts count
///                                                      66   and this one, of a node whose clock is ahead
///
/// A field ends by its deadline, a part after it has counted last.
final class WindowCommand implements Command {
    private static final int MOST_PARTS = 10;

    /// A part is half a second at least, as the fields of parts that are over are kept for `expiry-grace`.
    private static final int PARTS_A_SECOND = 2;

    private static final int WORDS = 5;
    private static final long MOST_SECONDS = TimeUnit.DAYS.toSeconds(10_000);
    private static final int TIME_DIGITS = 13;
    private static final int LONGEST_NAME = Long.toString(MOST_SECONDS).length() + 1 + TIME_DIGITS;

    private final Live<CommandSettings> settings;
    private final Cluster cluster;

    WindowCommand(Live<CommandSettings> settings, Cluster cluster) {
        this.settings = settings;
        this.cluster = cluster;
    }

    @Override
    public void run(Arguments arguments, Client client, Reply reply) {
        boolean shares = LimitCommands.asksForShare(arguments, WORDS);
        if (arguments.count() > WORDS + (shares ? 2 : 1)) {
            throw CommandError.syntax();
        }
        long limit = Share.now(shares, cluster).of(notNegative(arguments, 3, "limit"));
        long seconds = notNegative(arguments, 4, "seconds");
        if (seconds == 0 || seconds > MOST_SECONDS) {
            throw new CommandError("ERR seconds must be from 1 to " + MOST_SECONDS);
        }
        long quantity = LimitCommands.quantity(arguments, WORDS, shares);
        Key key = arguments.key(2);
        int mostBytes = settings.now().maxKeyBytes();
        if (!Hashes.fits(key, LONGEST_NAME, mostBytes)) {
            throw new CommandError("ERR the key has " + key.length() + " bytes, expected at most "
                    + (mostBytes - LONGEST_NAME - 3) + " (max-key-length)");
        }
        Counters counters = client.counters();
        counters.lock(key);
        try {
            Window window = new Window(key, seconds, counters);
            boolean admitted = quantity <= limit - window.used;
            long wait = admitted || quantity > limit ? Verdict.NEVER : window.millisUntil(limit - quantity);
            if (admitted && quantity > 0) {
                window.add(quantity);
                client.happened(KeyEvent.HINCRBY, key);
            }
            new Verdict(admitted, limit, limit - window.used, wait, window.millisUntil(0)).tell(reply);
        } finally {
            counters.unlock(key);
        }
    }

    /// The parts that are counted now. To be used under the lock of the key.
    private static final class Window {
        private static final int TEN = 10;

        private final Key key;
        private final Counters counters;
        private final int parts;
        private final long partMillis;
        private final long now;

        /// The number of the first part, counted from 1970.
        private final long first;

        /// Of those parts of which some is in the window, and of the next.
        private final long[] counts;

        private final byte[] name;
        private long used;

        Window(Key key, long seconds, Counters counters) {
            this.key = key;
            this.counters = counters;
            parts = (int) Math.min(MOST_PARTS, PARTS_A_SECOND * seconds);
            partMillis = TimeUnit.SECONDS.toMillis(seconds) / parts;
            counts = new long[parts + 2];
            name = (seconds + ":" + "0".repeat(TIME_DIGITS)).getBytes(StandardCharsets.US_ASCII);
            now = counters.now();
            first = now / partMillis - parts;
            boolean found = false;
            for (int part = 0; part < counts.length; part++) {
                found |= read(part);
                used += counts[part];
            }
            if (!found && counters.hashes().isString(key)) {
                throw CommandError.wrongType();
            }
        }

        /// Reads the count of a part. Returns whether there is one.
        private boolean read(int part) {
            if (first + part < 0) {
                return false;
            }
            writeName(part);
            boolean found = counters.hashes().read(key, name, 0, name.length);
            if (found && counters.cell().hasText()) {
                throw CommandError.noNumber();
            }
            counts[part] = found ? Math.clamp(counters.value(), 0, Long.MAX_VALUE - used) : 0;
            return found;
        }

        /// Writes when a part begins at the end of the name.
        private void writeName(int part) {
            long rest = (first + part) * partMillis;
            for (int at = name.length - 1; at >= name.length - TIME_DIGITS; at--) {
                name[at] = (byte) ('0' + rest % TEN);
                rest /= TEN;
            }
        }

        /// Counts so many in the present part.
        void add(long quantity) {
            writeName(parts);
            switch (counters.hashes().increment(key, name, 0, name.length, quantity, ends(parts) + partMillis)) {
                case DONE -> {}
                case OUT_OF_RANGE -> throw CommandError.overflow();
                case WRONG_TYPE -> throw CommandError.wrongType();
                case NO_NUMBER -> throw CommandError.noNumber();
                case SKIPPED, NOT_HERE, TOO_MANY_TOKENS ->
                    throw new IllegalStateException("an increment without conditions and token");
            }
            counts[parts] += quantity;
            used += quantity;
        }

        /// From when a part is not counted any more.
        private long ends(int part) {
            return (first + part + parts + 1) * partMillis;
        }

        /// In how many milliseconds at most so many are counted, if no more are admitted.
        long millisUntil(long most) {
            long left = used;
            int part = 0;
            while (left > most && part < counts.length) {
                left -= counts[part++];
            }
            return part == 0 ? 0 : ends(part - 1) - now;
        }
    }
}
