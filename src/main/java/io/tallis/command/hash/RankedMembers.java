package io.tallis.command.hash;

import io.tallis.command.Client;
import io.tallis.command.Reply;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Ranking;
import java.util.Arrays;

/// Members of a sorted set with their scores, copied under the lock of the key, to be replied after it.
final class RankedMembers {
    private final FieldList names = new FieldList();
    private long[] scores = new long[8];

    /// Those of a slice.
    static RankedMembers of(Key key, Ranking.Slice slice, Client client) {
        RankedMembers members = new RankedMembers();
        client.counters().ranking().each(key, slice, (array, offset, length, score) -> {
            members.names.requireBounded();
            members.add(array, offset, length, score);
        });
        return members;
    }

    private void add(byte[] array, int offset, int length, long score) {
        if (names.count() == scores.length) {
            scores = Arrays.copyOf(scores, 2 * scores.length);
        }
        scores[names.count()] = score;
        names.add(array, offset, length);
    }

    int count() {
        return names.count();
    }

    FieldList names() {
        return names;
    }

    /// Replies the members, and if so their scores: one after the other, in version 3 of the protocol as pairs.
    void answer(boolean withScores, Reply reply) {
        if (!withScores) {
            reply.array(count());
            names.answer(reply);
            return;
        }
        boolean asPairs = reply.protocol() > 2;
        reply.array(asPairs ? count() : 2 * count());
        answerScored(asPairs, reply);
    }

    /// Replies the members with their scores, one after the other in any version of the protocol.
    void answerFlat(Reply reply) {
        reply.array(2 * count());
        answerScored(false, reply);
    }

    private void answerScored(boolean asPairs, Reply reply) {
        int at = 0;
        for (int i = 0; i < count(); i++) {
            if (asPairs) {
                reply.array(2);
            }
            at = names.answer(at, reply);
            reply.score(scores[i]);
        }
    }
}
