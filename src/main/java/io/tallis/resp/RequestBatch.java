package io.tallis.resp;

import io.tallis.command.Arguments;
import io.tallis.command.dispatch.RequestHandler;
import io.tallis.keyspace.Counters;
import io.tallis.keyspace.Key;
import io.tallis.keyspace.Prefetch;

/// The requests of one connection that were decoded and have not been handled. Shared by the connections of an event
/// loop; one of them uses it at a time, and it is empty in between. Belongs to the event loop.
///
/// Pipelined requests are decoded up to [Prefetch#LIMIT] at a time, so that the memory of their counters can be
/// prefetched together before the first of them is handled. Among many counters that halves the time of a request,
/// which would otherwise wait for memory several times.
///
///     bytes:   request | request | request | request | part of one
///              handled   ▲ next               decoded
///
/// A connection may have to stop between two requests. It then drops the rest of the batch: the decoder goes back and
/// decodes those requests again later. Therefore nothing outlives the call in which it was decoded. Only arrays are
/// decoded ahead, because the words of an inline request are unquoted in place, after which it cannot be decoded again.
final class RequestBatch {
    private static final byte[] NO_BYTES = {};

    private final Counters counters;
    private final RequestHandler handler;
    private final Prefetch prefetch;
    private final Key key = new Key();
    private final Arguments[] requests = new Arguments[Prefetch.LIMIT];
    private final int[] starts = new int[Prefetch.LIMIT];
    private int count;
    private int next;
    private int used;
    private boolean authenticated;
    private boolean prefetches;
    private long changesBefore;

    /// For requests that `handler` answers from `counters`.
    RequestBatch(Counters counters, RequestHandler handler) {
        this.counters = counters;
        this.handler = handler;
        prefetch = new Prefetch(counters.keyspace());
        for (int i = 0; i < requests.length; i++) {
            requests[i] = new Arguments();
        }
    }

    /// Decides whether to prefetch: counters that fit into the processor's cache need none. Called every second.
    void tick() {
        prefetches = counters.keyspace().bytesUsed() > Prefetch.WORTHWHILE_KEYSPACE_BYTES;
    }

    boolean isEmpty() {
        return next == count;
    }

    /// Decodes the next requests. Returns [RequestDecoder.Step#REQUEST] when there is at least one, else why not.
    RequestDecoder.Step fill(RequestDecoder decoder, boolean authenticated, int maxBulkLength) {
        this.authenticated = authenticated;
        count = 0;
        next = 0;
        RequestDecoder.Step step = decoder.next(authenticated, maxBulkLength);
        if (step != RequestDecoder.Step.REQUEST) {
            return step;
        }
        take(decoder);
        if (authenticated) {
            decodeAhead(decoder, maxBulkLength);
        }
        return RequestDecoder.Step.REQUEST;
    }

    private void decodeAhead(RequestDecoder decoder, int maxBulkLength) {
        RequestDecoder.Step step = RequestDecoder.Step.REQUEST;
        while (count < requests.length && step == RequestDecoder.Step.REQUEST) {
            step = decoder.nextArray(true, maxBulkLength);
            if (step == RequestDecoder.Step.REQUEST) {
                take(decoder);
            } else if (step == RequestDecoder.Step.REFUSED) {
                // Refused again when its predecessors have been answered.
                decoder.rewind(decoder.requestStart());
            }
        }
        if (prefetches && count > 1) {
            prefetch();
        }
    }

    private void take(RequestDecoder decoder) {
        starts[count] = decoder.requestStart();
        requests[count] = decoder.exchange(requests[count]);
        count++;
        used = Math.max(used, count);
    }

    private void prefetch() {
        for (int i = 0; i < count; i++) {
            Arguments arguments = requests[i];
            int word = handler.probableKey(arguments);
            if (word > 0 && arguments.length(word) > 0) {
                key.set(arguments.array(), arguments.offset(word), arguments.length(word));
                int field = handler.probableField(arguments);
                prefetch.add(field == 0 ? key : fieldIn(arguments, field));
            }
        }
        // If the previous requests changed something, these probably will too.
        long changes = counters.changes();
        int _ = changes == changesBefore ? prefetch.forRead() : prefetch.forChange();
        changesBefore = changes;
    }

    private Key fieldIn(Arguments arguments, int word) {
        return counters.hashes().key(key, arguments.array(), arguments.offset(word), arguments.length(word));
    }

    /// The next request, valid until the next call of any other method. There must be one.
    Arguments next(RequestDecoder decoder) {
        decoder.beginHandling(starts[next]);
        return requests[next++];
    }

    /// Drops the rest of the batch if it was decoded under rules that no longer apply: those for clients that must
    /// authenticate first are stricter.
    void dropIfStale(RequestDecoder decoder, boolean authenticated) {
        if (this.authenticated != authenticated) {
            drop(decoder);
        }
    }

    /// Empties the batch: the decoder goes back to the first request that has not been handled. Releases the bytes that
    /// the requests refer to.
    void drop(RequestDecoder decoder) {
        if (next < count) {
            decoder.rewind(starts[next]);
        }
        decoder.endHandling();
        for (int i = 0; i < used; i++) {
            requests[i].begin(NO_BYTES);
        }
        used = 0;
        count = 0;
        next = 0;
    }
}
