package io.tallis.command.hash;

import io.tallis.command.Arguments;
import io.tallis.command.AtomicSection;
import io.tallis.command.AtomicSection.FieldWords;
import io.tallis.command.Client;
import io.tallis.command.Command;
import io.tallis.command.CommandError;
import io.tallis.command.CommandSet;
import io.tallis.command.KeyEvent;
import io.tallis.command.Numbers;
import io.tallis.command.Reply;
import io.tallis.keyspace.Hashes;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.KeyspaceFullException;
import io.tallis.keyspace.Ranking.Direction;
import io.tallis.keyspace.Ranking.Slice;
import io.tallis.keyspace.Score;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The commands of Redis's sorted sets that change one: `ZADD`, `ZINCRBY`, and those that remove members.
///
/// A score is what a field of a hash is: increments of all nodes add up, of two assignments the later one counts, and
/// what is removed is what this node has seen. Increments are whole numbers: the sum of floats depends on their order.
final class ScoreChanges {
    private static final String BEYOND = "ERR value is out of range: scores have at most 64 bits before the point";
    private static final String FRACTION = "ERR the score is text or has a fraction, and nothing is added to it";
    private static final String OUT_OF_RANGE = "ERR value is out of range, must be positive";

    private final Fields fields;
    private final FieldCounts counts;

    ScoreChanges(Fields fields, FieldCounts counts) {
        this.fields = fields;
        this.counts = counts;
    }

    void addTo(CommandSet commands) {
        commands.add("zadd", this::add)
                .add("zincrby", this::increment)
                .add("zrem", HashCommands.delete(KeyEvent.ZREM))
                .add("zpopmin", pop(KeyEvent.ZPOPMIN, Direction.FROM_LEAST))
                .add("zpopmax", pop(KeyEvent.ZPOPMAX, Direction.FROM_GREATEST))
                .add("zremrangebyrank", ScoreChanges::removeByPosition)
                .add("zremrangebyscore", ScoreChanges::removeByScore);
    }

    /// `ZINCRBY key increment member`
    private void increment(Arguments arguments, Client client, Reply reply) {
        counts.add(arguments, 3, number(arguments, 2), client, FRACTION);
        reply.score(Score.of(client.counters().value()));
        client.happened(KeyEvent.ZINCR, arguments.key(1));
    }

    private static long number(Arguments arguments, int word) {
        return Numbers.whole(arguments.array(), arguments.offset(word), arguments.length(word), BEYOND, BEYOND);
    }

    private static Score score(Arguments arguments, int word) {
        byte[] bytes = arguments.array();
        int start = arguments.offset(word);
        int length = arguments.length(word);
        if (Numbers.isSigned(bytes, start, length)) {
            return Score.of(Numbers.signed(bytes, start, length));
        }
        BigDecimal number = Numbers.decimal(bytes, start, length, BEYOND);
        if (!Numbers.isWithinLong(number)) {
            throw new CommandError(BEYOND);
        }
        return Score.of(number);
    }

    /// `ZADD key [NX | XX] [GT | LT] [CH] [INCR] score member [score member ...]`: all members are changed or none.
    private void add(Arguments arguments, Client client, Reply reply) {
        AddOptions options = AddOptions.of(arguments);
        for (int word = options.first(); word < arguments.count(); word += 2) {
            Score _ = score(arguments, word);
            fields.requireName(arguments, 1, word + 1);
        }
        AtomicSection.fields(client, FieldWords.withScores(arguments, 1, options.first()), () -> {
            Fields.requireNoString(arguments, client);
            if (options.adds()) {
                incrementIfAllowed(arguments, options, client, reply);
            } else {
                assignAllowed(arguments, options, client, reply);
            }
        });
    }

    /// Replies the new score, or null if the options do not allow it.
    private void incrementIfAllowed(Arguments arguments, AddOptions options, Client client, Reply reply) {
        int member = options.first() + 1;
        long delta = number(arguments, options.first());
        boolean exists = present(arguments, member, client) != null;
        boolean isAllowed = exists ? options.allow(Score.of(0), Score.of(delta)) : options.allowNew();
        if (!isAllowed) {
            reply.nil();
            return;
        }
        counts.add(arguments, member, delta, client, FRACTION);
        reply.score(Score.of(client.counters().value()));
        client.happened(KeyEvent.ZINCR, arguments.key(1));
    }

    /// Replies how many members are new, or how many were changed.
    private static void assignAllowed(Arguments arguments, AddOptions options, Client client, Reply reply) {
        Hashes hashes = client.counters().hashes();
        int made = 0;
        int changed = 0;
        for (int word = options.first(); word < arguments.count(); word += 2) {
            Score score = score(arguments, word);
            Score present = present(arguments, word + 1, client);
            if (present == null ? options.allowNew() : options.allow(present, score)) {
                assign(arguments, word + 1, score, hashes);
                made += present == null ? 1 : 0;
                changed += present == null || present.equals(score) ? 0 : 1;
            }
        }
        if (made + changed > 0) {
            client.happened(KeyEvent.ZADD, arguments.key(1));
        }
        reply.integer(options.countsChanged() ? made + changed : made);
    }

    private static void assign(Arguments arguments, int word, Score score, Hashes hashes) {
        Key key = arguments.key(1);
        byte[] array = arguments.array();
        int offset = arguments.offset(word);
        int length = arguments.length(word);
        if (score.isWhole()) {
            Hashes.Assignment _ = hashes.assign(key, array, offset, length, score.whole());
        } else {
            byte[] text = score.toString().getBytes(StandardCharsets.US_ASCII);
            Hashes.Assignment _ = hashes.assign(key, array, offset, length, text, 0, text.length);
        }
    }

    /// The score of a member, null if it is none.
    private static @Nullable Score present(Arguments arguments, int word, Client client) {
        boolean exists = client.counters()
                .hashes()
                .read(arguments.key(1), arguments.array(), arguments.offset(word), arguments.length(word));
        return exists ? Score.of(client.counters().cell()) : null;
    }

    /// `ZPOPMIN key [count]`, `ZPOPMAX key [count]`
    private static Command pop(KeyEvent event, Direction direction) {
        return (arguments, client, reply) -> {
            if (arguments.count() > 3) {
                throw CommandError.syntax();
            }
            boolean isCounted = arguments.count() == 3;
            long count = isCounted ? Numbers.signed(arguments, 2, OUT_OF_RANGE) : 1;
            if (count < 0) {
                throw new CommandError(OUT_OF_RANGE);
            }
            Fields.requireNoString(arguments, client);
            RankedMembers popped = new RankedMembers();
            if (count > 0) {
                Slice slice = Slice.ofPositions(0, count - 1, direction);
                if (count > Hashes.PIECE) {
                    // Refuses a reply that is too large, before anything is removed.
                    RankedMembers _ = RankedMembers.of(arguments.key(1), slice, client);
                }
                long _ = remove(arguments, slice, event, client, popped::addAll);
            }
            if (isCounted) {
                popped.answerWithScores(reply);
            } else {
                popped.answerFlat(reply);
            }
        };
    }

    /// `ZREMRANGEBYRANK key start stop`
    private static void removeByPosition(Arguments arguments, Client client, Reply reply) {
        long start = Numbers.signed(arguments, 2);
        long stop = Numbers.signed(arguments, 3);
        Fields.requireNoString(arguments, client);
        Slice slice = Slice.ofPositions(start, stop, Direction.FROM_LEAST);
        reply.integer(remove(arguments, slice, KeyEvent.ZREMRANGEBYRANK, client, _ -> {}));
    }

    /// `ZREMRANGEBYSCORE key min max`
    private static void removeByScore(Arguments arguments, Client client, Reply reply) {
        ScoreBounds bounds = ScoreBounds.of(arguments, 2, 3);
        Fields.requireNoString(arguments, client);
        Slice slice = new Slice(bounds.from(), bounds.to(), 0, -1, Direction.FROM_LEAST);
        reply.integer(remove(arguments, slice, KeyEvent.ZREMRANGEBYSCORE, client, _ -> {}));
    }

    /// Removes the members of a slice, gives them to `taken`, and returns how many they were.
    ///
    /// Within a section it removes all or none. Elsewhere it removes a piece after the other, of which others may see a
    /// part, but no more members than there were at first.
    private static long remove(
            Arguments arguments, Slice slice, KeyEvent event, Client client, Consumer<RankedMembers> taken) {
        Key key = Key.of(arguments.bytes(1));
        client.counters().ranking().prepare(key);
        long removed = 0;
        Slice[] left = {slice};
        try {
            while (!left[0].isEmpty()) {
                RankedMembers piece = new RankedMembers();
                removePiece(key, left, piece, client);
                removed += piece.count();
                taken.accept(piece);
            }
        } catch (KeyspaceFullException full) {
            if (removed == 0) {
                throw full;
            }
            // Members that are gone have to be replied.
        }
        if (removed > 0) {
            client.removedFields(event, key);
        }
        return removed;
    }

    /// Removes the first members of a slice, and leaves the rest of it in `left`.
    private static void removePiece(Key key, Slice[] left, RankedMembers piece, Client client) {
        boolean isWithinSection = client.inSection();
        AtomicSection.deleteFields(client, key, () -> {
            if (isWithinSection) {
                piece.addAll(RankedMembers.of(key, left[0], client));
                left[0] = Slice.NONE;
            } else {
                left[0] = client.counters().ranking().first(key, left[0], piece::add);
            }
            return piece.names().strings();
        });
    }
}
