package io.tallis.command.hash;

import io.tallis.command.Client;
import io.tallis.command.Reply;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Ranking;
import io.tallis.keyspace.Score;
import java.util.ArrayList;
import java.util.List;

/// Members of a sorted set with their scores, copied under the lock of the key, to be replied after it.
final class RankedMembers {
    private final FieldList names = new FieldList();
    private final List<Score> scores = new ArrayList<>();

    /// Those of a slice.
    static RankedMembers of(Key key, Ranking.Slice slice, Client client) {
        RankedMembers members = new RankedMembers();
        client.counters().ranking().each(key, slice, (array, offset, length, score) -> {
            members.names.requireBounded();
            members.add(array, offset, length, score);
        });
        return members;
    }

    void addAll(RankedMembers others) {
        scores.addAll(others.scores);
        names.addAll(others.names);
    }

    void add(byte[] array, int offset, int length, Score score) {
        scores.add(score);
        names.add(array, offset, length);
    }

    int count() {
        return names.count();
    }

    FieldList names() {
        return names;
    }

    /// Replies the members.
    void answer(Reply reply) {
        reply.array(count());
        names.answer(reply);
    }

    /// Replies the members with their scores: one after the other, in version 3 of the protocol as pairs.
    void answerWithScores(Reply reply) {
        if (reply.protocol() == 2) {
            answerFlat(reply);
            return;
        }
        reply.array(count());
        int at = 0;
        for (int i = 0; i < count(); i++) {
            reply.array(2);
            at = names.answer(at, reply);
            reply.score(scores.get(i));
        }
    }

    /// Replies the members with their scores, one after the other in any version of the protocol.
    void answerFlat(Reply reply) {
        reply.array(2 * count());
        int at = 0;
        for (int i = 0; i < count(); i++) {
            at = names.answer(at, reply);
            reply.score(scores.get(i));
        }
    }
}
