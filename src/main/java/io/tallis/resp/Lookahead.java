package io.tallis.resp;

import io.tallis.command.Arguments;
import io.tallis.command.dispatch.RequestHandler;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Prefetch;

/// Reads requests that have arrived together once before they are handled, to have the memory of their counters
/// ready.
///
/// Pays where counters are many, so that each would be waited for, and requests are several. Shared by the
/// connections of an event loop and belongs to it.
final class Lookahead {
    /// With fewer bytes there is hardly more than one request.
    private static final int WORTHWHILE_BYTES = 128;

    private final Counters counters;
    private final RequestHandler handler;
    private final Prefetch prefetch;
    private final Key key = new Key();
    private boolean isWorthwhile;
    private long changesBefore;

    /// For the requests that `handler` answers by `counters`.
    Lookahead(Counters counters, RequestHandler handler) {
        this.counters = counters;
        this.handler = handler;
        prefetch = new Prefetch(counters.keyspace());
    }

    /// Asks anew whether looking ahead pays; now and then is enough.
    void weigh() {
        isWorthwhile = counters.keyspace().bytesUsed() > Prefetch.WORTHWHILE_KEYSPACE_BYTES;
    }

    /// Looks at the next requests, as far as they are arrays and at most [Prefetch#LIMIT], and leaves the
    /// decoder as it was. Returns how many requests need no looking at for that.
    int look(RequestDecoder decoder, boolean authenticated, int maxBulkLength) {
        if (!isWorthwhile || decoder.held() < WORTHWHILE_BYTES || !decoder.isBetweenRequests()) {
            return 1;
        }
        int from = decoder.from();
        int found = 0;
        while (found < Prefetch.LIMIT
                && decoder.nextArray(authenticated, maxBulkLength) == RequestDecoder.Step.REQUEST) {
            expect(decoder.arguments());
            found++;
        }
        finish();
        decoder.rewind(from);
        return Math.max(1, found);
    }

    /// Where the last requests changed something the next will too, most probably.
    private void finish() {
        long changes = counters.changes();
        int _ = changes == changesBefore ? prefetch.forRead() : prefetch.forChange();
        changesBefore = changes;
    }

    private void expect(Arguments arguments) {
        int word = handler.probableKey(arguments);
        if (word > 0 && arguments.length(word) > 0) {
            prefetch.add(key.set(arguments.array(), arguments.offset(word), arguments.length(word)));
        }
    }
}
