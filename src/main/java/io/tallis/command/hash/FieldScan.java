package io.tallis.command.hash;

import io.tallis.command.Reply;
import io.tallis.command.ScanOptions;
import io.tallis.keyspace.Hashes;
import io.tallis.keyspace.Key;

/// One step of an iteration over the fields of a hash: those that it found, and the cursor for the next step. A field
/// that is there from the first step to the last is found once.
final class FieldScan {
    private static final int MOST_FIELDS = 1 << 16;

    /// How many fields are looked at under one hold of the lock.
    private static final int SOME_FIELDS = 64;

    private final FieldList found = new FieldList();
    private long cursor;

    FieldScan(long cursor) {
        this.cursor = cursor;
    }

    void run(Key hash, ScanOptions options, Hashes hashes) {
        boolean isPossible = Long.compareUnsigned(cursor, Hashes.END) < 0;
        long next = isPossible ? cursor : Hashes.END;
        int left = Math.min(options.count(), MOST_FIELDS);
        while (next < Hashes.END && left > 0 && !found.isLarge()) {
            int some = Math.min(left, SOME_FIELDS);
            next = hashes.next(hash, next, some, (array, offset, length, cell) -> {
                if (options.pattern().matches(array, offset, length)) {
                    found.add(array, offset, length, cell, true, true);
                }
            });
            left -= some;
        }
        cursor = next == Hashes.END ? 0 : next;
    }

    void answer(Reply reply) {
        reply.array(2);
        reply.unsignedDigits(cursor);
        reply.array(found.count());
        found.answer(reply);
    }
}
